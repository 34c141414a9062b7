import Kernel
import Reactor
import Testing

/// A descriptor that a test makes ready, and who waits for it.
final class Bell: EventHandler {
  private var wakeUp: WakeUp?
  /// The loop holds its handlers.
  private unowned let loop: EventLoop
  private(set) var registration = Registration.none
  /// Readiness and tag of each call.
  private(set) var calls: [(readiness: Readiness, tag: UInt32)] = []
  /// Calls, counted without keeping them.
  private(set) var count = 0
  var keepsCalls = true
  var onCall: (Bell, EventLoop) -> Void = { _, _ in }

  init(
    on loop: EventLoop, tag: UInt32 = 0, for readiness: Readiness = [.readable, .edge]
  ) throws {
    self.loop = loop
    let wakeUp = try WakeUp()
    registration = try loop.watch(wakeUp.descriptor, self, tag: tag, for: readiness)
    self.wakeUp = consume wakeUp
  }

  func ring() { wakeUp?.signal() }

  func silence() { wakeUp?.clear() }

  /// Forgets the registration and closes the descriptor.
  func close() {
    loop.forget(registration)
    wakeUp = nil
  }

  func unwatch() {
    guard let wakeUp = wakeUp.take() else { return }
    loop.unwatch(registration, wakeUp.descriptor)
    self.wakeUp = consume wakeUp
  }

  func watch(for readiness: Readiness) throws {
    guard let wakeUp = wakeUp.take() else { return }
    try loop.modify(registration, wakeUp.descriptor, for: readiness)
    self.wakeUp = consume wakeUp
  }

  func handle(_ readiness: Readiness, tag: UInt32) {
    count += 1
    if keepsCalls { calls.append((readiness, tag)) }
    onCall(self, loop)
  }
}

/// Notes the tags of the timers that fire.
final class Alarm: TimerHandler {
  var tags: [UInt32] = []
  var onFire: (UInt32) -> Void = { _ in }

  func timerFired(tag: UInt32) {
    tags.append(tag)
    onFire(tag)
  }
}

/// A clock that stands still until a test moves it.
final class ManualClock: Sendable {
  private let time = Lock(Instant(nanoseconds: 0))

  func now() -> Instant { time.withLock { $0 } }

  func advance(by duration: Duration) { time.withLock { $0 = $0 + duration } }
}
