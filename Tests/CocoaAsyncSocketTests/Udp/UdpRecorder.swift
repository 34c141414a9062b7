import CocoaAsyncSocket
import Foundation
import Kernel
import TestSupport
import Testing

/// A delegate that writes down what it is told, and a queue of its own.
final class UdpRecorder: GCDAsyncUdpSocketDelegate, Sendable {
  enum Event: Equatable {
    case connected
    case notConnected
    case sent(Int)
    case notSent(Int, domain: String, code: Int)
    case received(Data, context: String?)
    case closed(hasError: Bool)
  }

  struct Overdue: Error {
    let description: String
  }

  private let events = Monitor<[Event]>([])
  private let senders = Monitor<[Data]>([])
  let queue = DispatchQueue(label: "udp-test")

  func socket() -> GCDAsyncUdpSocket {
    GCDAsyncUdpSocket(delegate: self, delegateQueue: queue)
  }

  private func note(_ event: Event) {
    dispatchPrecondition(condition: .onQueue(queue))
    events.withLock { $0.append(event) }
    events.signal()
  }

  var all: [Event] { events.withLock { $0 } }
  /// Where what was received came from.
  var sources: [Data] { senders.withLock { $0 } }

  var received: [Data] {
    all.compactMap { event in
      if case .received(let data, _) = event { data } else { nil }
    }
  }

  /// Waits until `count` events have come, takes them out and returns them.
  func take(_ count: Int) throws -> [Event] {
    let taken = events.wait(until: Instant.now() + .seconds(20)) { events -> [Event]? in
      guard events.count >= count else { return nil }
      defer { events.removeFirst(count) }
      return Array(events.prefix(count))
    }
    guard let taken else {
      throw Overdue(description: "waited for \(count) events; so far: \(all.prefix(20))")
    }
    return taken
  }

  /// Waits for the next event.
  func next() throws -> Event { try take(1)[0] }

  /// Lets what is on its way to the delegate arrive, and returns what has come.
  func settle(_ socket: GCDAsyncUdpSocket) -> [Event] {
    socket.perform {}
    queue.sync {}
    queue.sync {}
    return all
  }

  func udpSocket(_ sock: GCDAsyncUdpSocket, didConnectToAddress address: Data) { note(.connected) }

  func udpSocket(_ sock: GCDAsyncUdpSocket, didNotConnect error: (any Error)?) {
    note(.notConnected)
  }

  func udpSocket(_ sock: GCDAsyncUdpSocket, didSendDataWithTag tag: Int) { note(.sent(tag)) }

  func udpSocket(
    _ sock: GCDAsyncUdpSocket, didNotSendDataWithTag tag: Int, dueToError error: (any Error)?
  ) {
    let error = error.map { $0 as NSError }
    note(.notSent(tag, domain: error?.domain ?? "", code: error?.code ?? 0))
  }

  func udpSocket(
    _ sock: GCDAsyncUdpSocket, didReceive data: Data, fromAddress address: Data,
    withFilterContext filterContext: Any?
  ) {
    senders.withLock { $0.append(address) }
    note(.received(data, context: (filterContext as? NSString).map { "\($0)" }))
  }

  func udpSocketDidClose(_ sock: GCDAsyncUdpSocket, withError error: (any Error)?) {
    note(.closed(hasError: error != nil))
  }
}

extension UdpRecorder.Event {
  /// A datagram that was received and no filter has said anything about.
  static func received(_ data: Data) -> UdpRecorder.Event { .received(data, context: nil) }

  static func notSent(_ tag: Int, _ error: Errno) -> UdpRecorder.Event {
    .notSent(tag, domain: NSPOSIXErrorDomain, code: Int(error.rawValue))
  }

  static func notSent(_ tag: Int, _ code: GCDAsyncUdpSocketError.Code) -> UdpRecorder.Event {
    .notSent(tag, domain: GCDAsyncUdpSocketErrorDomain, code: code.rawValue)
  }
}
