internal import Kernel

/// One direction of a stream relay: from its source's receive queue to its sink's send queue, with
/// at most one carrier-full of bytes held in between.
///
/// ```
///            read 0                  written out, shut down
/// flowing ───────────▶ ending ─────────────────────────────▶ ended
///    │ read error                    written out
///    ├───────────────▶ failing ────────────────────────────▶ failed
///    │ cut off                 nothing left, shut down             read 0
///    ├───────────────▶ cutting ─────────────────────▶ discarding ────────────▶ ended
///    │                    └─── more was sent ──▶ truncated ◀──┘
///    │ write error, or the sink is known to be gone
///    └───────────────▶ broken   (from every state that still writes)
/// ```
///
/// Pure: it holds counts and flags, no bytes and no descriptors.
struct DirectionMachine: Equatable {
  enum State: Equatable {
    /// Both ends are open.
    case flowing
    /// The source has ended; what is held is still to be written, then the sink is shut down.
    case ending
    /// The end of stream has been passed on.
    case ended
    /// The source was reset; what is held is still to be written.
    case failing
    /// The source was reset and everything it had sent is in the sink's send queue.
    case failed
    /// The sink takes nothing more, so the source is not read either.
    case broken
    /// Nothing more is taken from the source; what is held is still to be written.
    case cutting
    /// The sink was shut down early; the source is watched for its end.
    case discarding
    /// The source sent more than was passed on.
    case truncated
  }

  /// What the runner can do for this direction now.
  enum Step: Equatable {
    case read
    case write
    case shutDown
    case discard
  }

  private(set) var state = State.flowing
  /// The source may have bytes: true until a read would block.
  private(set) var mayRead = false
  /// The sink may have room: true until a write would block.
  private(set) var mayWrite = true
  /// No buffer can be had: read only what can be written at once.
  private var readsOnlyWithRoom = false
  /// Bytes read and not yet written.
  private(set) var held = 0

  /// The one thing to do next, nil when readiness must come first or all is done.
  var step: Step? {
    switch state {
    case .flowing:
      if held > 0 { mayWrite ? .write : nil } else { mayReadNow ? .read : nil }
    case .cutting: held > 0 ? (mayWrite ? .write : nil) : (mayRead ? .discard : .shutDown)
    case .ending: held > 0 ? (mayWrite ? .write : nil) : .shutDown
    case .failing: held > 0 ? (mayWrite ? .write : nil) : nil
    case .discarding: mayRead ? .discard : nil
    case .ended, .failed, .broken, .truncated: nil
    }
  }

  private var mayReadNow: Bool { mayRead && (mayWrite || !readsOnlyWithRoom) }

  /// True when the source's stream is over and every byte of it is in the sink's send queue.
  var isDelivered: Bool {
    switch state {
    case .ended, .failed: true
    case .flowing, .ending, .failing, .broken, .cutting, .discarding, .truncated: false
    }
  }

  mutating func sourceBecameReadable() { mayRead = true }

  mutating func sinkBecameWritable() {
    mayWrite = true
    readsOnlyWithRoom = false
  }

  /// A read found no buffer: the next waits until the sink has room.
  mutating func foundNoBuffer() { readsOnlyWithRoom = true }

  // MARK: Reading

  mutating func didRead(_ count: Int) {
    switch state {
    case .flowing: held += count
    case .cutting, .discarding: state = .truncated
    case .ending, .ended, .failing, .failed, .broken, .truncated:
      preconditionFailure("a direction that is \(state) is not read")
    }
  }

  mutating func readWouldBlock() { mayRead = false }

  mutating func readEnded() {
    switch state {
    case .flowing, .cutting: state = .ending
    case .discarding: state = .ended
    case .ending, .ended, .failing, .failed, .broken, .truncated:
      preconditionFailure("a direction that is \(state) is not read")
    }
  }

  /// The source was reset, or is known to be gone after all it had sent was read.
  mutating func sourceFailed() {
    switch state {
    case .flowing, .ending, .cutting: state = held > 0 ? .failing : .failed
    case .discarding: state = .failed
    case .ended, .failing, .failed, .broken, .truncated: break
    }
  }

  // MARK: Writing

  mutating func didWrite(_ count: Int) {
    precondition(count <= held, "more was written than was held")
    held -= count
    switch state {
    case .failing: if held == 0 { state = .failed }
    case .flowing, .ending, .cutting: break
    case .ended, .failed, .broken, .discarding, .truncated:
      preconditionFailure("a direction that is \(state) is not written")
    }
  }

  mutating func writeWouldBlock() { mayWrite = false }

  mutating func didShutDown() {
    switch state {
    case .ending: state = .ended
    case .cutting: state = .discarding
    case .flowing, .ended, .failing, .failed, .broken, .discarding, .truncated:
      preconditionFailure("a sink is shut down when its source has ended, not when \(state)")
    }
  }

  /// The sink takes nothing more. Returns how many held bytes are lost with it.
  mutating func sinkFailed() -> Int {
    defer { held = 0 }
    switch state {
    case .flowing, .ending, .failing, .cutting: state = .broken
    case .ended, .failed, .broken, .discarding, .truncated: break
    }
    return held
  }

  /// Takes nothing more from the source; an end of stream follows what is held.
  mutating func cut() {
    switch state {
    case .flowing: state = .cutting
    case .ending, .ended, .failing, .failed, .broken, .cutting, .discarding, .truncated: break
    }
  }
}
