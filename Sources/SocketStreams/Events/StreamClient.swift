internal import Foundation

/// A function that is called in the place of a delegate.
///
/// Guard of the `@unchecked`: it is called where the stream's events go, and nowhere else.
final class StreamClient: @unchecked Sendable {
  let events: CFStreamEventType
  private let call: (Stream, CFStreamEventType) -> Void

  init(_ events: CFStreamEventType, call: @escaping (Stream, CFStreamEventType) -> Void) {
    self.events = events
    self.call = call
  }

  func tell(_ stream: Stream, _ event: Stream.Event) {
    let type = CFStreamEventType(rawValue: CFOptionFlags(event.rawValue))
    if events.contains(type) { call(stream, type) }
  }
}
