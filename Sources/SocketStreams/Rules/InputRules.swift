internal import Foundation

/// What an input stream does and says, told by counts of bytes: no bytes, no threads, no sockets.
///
/// A stream opens, bytes arrive and are read, and it ends by the peer's end, by a failure or by
/// `close`. An end counts only when every byte before it has been read.
struct InputRules {
  enum Phase: Hashable {
    case notOpen
    case opening
    case open
    case closed
  }

  enum End: Hashable {
    case endOfStream
    case failed(StreamFailure)
  }

  /// What a read is to do.
  enum Reading: Hashable {
    case take(Int)
    case wait
    case end
    case refuse
  }

  /// Bytes read ahead of the caller. So many stop the peer.
  static let limit = 65_536

  private(set) var phase = Phase.notOpen
  private(set) var available = 0
  private(set) var end: End?
  /// Threads that wait in a read.
  var readers = 0
  /// Nothing more is read ahead until there is room.
  private(set) var isHeld = false

  // What the delegate has been told.
  private var hasToldOpening = false
  private var hasToldEnd = false
  /// A read has taken something since the delegate was told of bytes.
  private var mayTellBytes = true

  let limit: Int

  init(limit: Int = InputRules.limit) {
    self.limit = limit
  }

  // MARK: What happens

  /// True when this is the first time.
  mutating func open() -> Bool {
    switch phase {
    case .notOpen:
      phase = .opening
      return true
    case .opening, .open, .closed: return false
    }
  }

  mutating func connected() {
    switch phase {
    case .opening: if end == nil { phase = .open }
    case .notOpen, .open, .closed: break
    }
  }

  mutating func arrived(_ count: Int) {
    switch phase {
    case .notOpen, .opening, .open: available += count
    case .closed: break
    }
  }

  /// Takes every byte back, as one that belongs to TLS.
  mutating func withdraw() {
    available = 0
    isHeld = false
  }

  mutating func ended(_ new: End) {
    if end == nil { end = new }
  }

  mutating func read(_ wanted: Int) -> Reading {
    switch phase {
    case .notOpen, .closed: return .refuse
    case .opening: return end == nil ? .wait : .refuse
    case .open: break
    }
    if available > 0 {
      let count = min(available, wanted)
      available -= count
      mayTellBytes = true
      return .take(count)
    }
    switch end {
    case nil: return .wait
    case .endOfStream: return .end
    case .failed: return .refuse
    }
  }

  /// True when this is the first time.
  mutating func close() -> Bool {
    guard phase != .closed else { return false }
    phase = .closed
    available = 0
    return true
  }

  // MARK: Reading ahead

  /// How many bytes may be read ahead. None: nothing is read until `resumes` says so.
  mutating func room() -> Int {
    guard phase != .closed, end == nil else { return 0 }
    isHeld = available >= limit
    return limit - available
  }

  /// True once when reading ahead was held and half of the room is free again.
  mutating func resumes() -> Bool {
    guard isHeld, available <= limit / 2 else { return false }
    isHeld = false
    return true
  }

  // MARK: What is said

  var status: Stream.Status {
    switch (phase, end) {
    case (.notOpen, _): .notOpen
    case (.closed, _): .closed
    case (.opening, nil), (.opening, .endOfStream): .opening
    case (.opening, .failed): .error
    case (.open, nil): readers > 0 ? .reading : .open
    case (.open, .endOfStream): available > 0 ? .open : .atEnd
    case (.open, .failed): available > 0 ? .open : .error
    }
  }

  var failure: StreamFailure? {
    guard available == 0, case .failed(let failure) = end else { return nil }
    return failure
  }

  var hasBytes: Bool { phase == .open && available > 0 }

  /// The next thing to tell the delegate, but none of `told`.
  func event(besides told: Stream.Event = []) -> Stream.Event? {
    let candidate = nextEvent
    guard let candidate, !told.contains(candidate) else { return nil }
    return candidate
  }

  private var nextEvent: Stream.Event? {
    switch (phase, end) {
    case (.notOpen, _), (.closed, _), (.opening, nil), (.opening, .endOfStream): return nil
    case (.opening, .failed): return hasToldEnd ? nil : .errorOccurred
    case (.open, _): break
    }
    if !hasToldOpening { return .openCompleted }
    if available > 0 { return mayTellBytes ? .hasBytesAvailable : nil }
    guard !hasToldEnd, let end else { return nil }
    switch end {
    case .endOfStream: return .endEncountered
    case .failed: return .errorOccurred
    }
  }

  /// The delegate is about to hear of an event.
  mutating func tell(_ event: Stream.Event) {
    switch event {
    case .openCompleted: hasToldOpening = true
    case .hasBytesAvailable: mayTellBytes = false
    case .endEncountered, .errorOccurred: hasToldEnd = true
    default: preconditionFailure("an input stream does not tell event \(event.rawValue)")
    }
  }
}
