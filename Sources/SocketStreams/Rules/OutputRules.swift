internal import Foundation

/// What an output stream does and says, told by counts of bytes: no bytes, no threads, no sockets.
///
/// A stream opens, takes bytes while there is room, and ends by a failure or by `close`, after
/// which what it has taken is still sent.
struct OutputRules {
  /// What a write is to do.
  enum Writing: Hashable {
    case take(Int)
    case wait
    case refuse
  }

  /// Bytes taken and not yet with the kernel. So many stop the writer.
  static let limit = 65_536

  private(set) var phase = InputRules.Phase.notOpen
  private(set) var queued = 0
  private(set) var failure: StreamFailure?
  /// Somebody wanted to write: closing it then ends the stream to the peer.
  private(set) var wasOpened = false
  /// Threads that wait in a write.
  var writers = 0

  // What the delegate has been told.
  private var hasToldOpening = false
  private var hasToldFailure = false
  /// Something was written since the delegate was told of room.
  private var mayTellRoom = true

  let limit: Int

  init(limit: Int = OutputRules.limit) {
    self.limit = limit
  }

  // MARK: What happens

  /// True when this is the first time.
  mutating func open() -> Bool {
    switch phase {
    case .notOpen:
      phase = .opening
      wasOpened = true
      return true
    case .opening, .open, .closed: return false
    }
  }

  mutating func connected() {
    switch phase {
    case .opening: if failure == nil { phase = .open }
    case .notOpen, .open, .closed: break
    }
  }

  mutating func write(_ offered: Int) -> Writing {
    switch phase {
    case .notOpen, .closed: return .refuse
    case .opening: return failure == nil ? .wait : .refuse
    case .open: break
    }
    guard failure == nil else { return .refuse }
    let count = min(offered, limit - queued)
    guard count > 0 else { return .wait }
    queued += count
    mayTellRoom = true
    return .take(count)
  }

  /// Bytes have gone. After a failure none are counted any more.
  mutating func sent(_ count: Int) {
    guard failure == nil else { return }
    precondition(count <= queued, "more was sent than was taken")
    queued -= count
  }

  /// Nothing more can be sent; what was taken is lost.
  mutating func failed(_ new: StreamFailure) {
    if failure == nil { failure = new }
    queued = 0
  }

  /// True when this is the first time. What was taken stays to be sent.
  mutating func close() -> Bool {
    guard phase != .closed else { return false }
    phase = .closed
    return true
  }

  // MARK: What is said

  var status: Stream.Status {
    switch (phase, failure) {
    case (.notOpen, _): .notOpen
    case (.closed, _): .closed
    case (.opening, nil): .opening
    case (.opening, _?), (.open, _?): .error
    case (.open, nil): writers > 0 ? .writing : .open
    }
  }

  var hasSpace: Bool { phase == .open && failure == nil && queued < limit }

  /// The next thing to tell the delegate, but none of `told`.
  func event(besides told: Stream.Event = []) -> Stream.Event? {
    guard let candidate = nextEvent, !told.contains(candidate) else { return nil }
    return candidate
  }

  private var nextEvent: Stream.Event? {
    switch (phase, failure) {
    case (.notOpen, _), (.closed, _), (.opening, nil): return nil
    case (.opening, _?): return hasToldFailure ? nil : .errorOccurred
    case (.open, _?):
      return !hasToldOpening ? .openCompleted : hasToldFailure ? nil : .errorOccurred
    case (.open, nil): break
    }
    if !hasToldOpening { return .openCompleted }
    return mayTellRoom && queued < limit ? .hasSpaceAvailable : nil
  }

  /// The delegate is about to hear of an event.
  mutating func tell(_ event: Stream.Event) {
    switch event {
    case .openCompleted: hasToldOpening = true
    case .hasSpaceAvailable: mayTellRoom = false
    case .errorOccurred: hasToldFailure = true
    default: preconditionFailure("an output stream does not tell event \(event.rawValue)")
    }
  }
}
