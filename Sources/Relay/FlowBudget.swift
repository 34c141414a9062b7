internal import Kernel
internal import Synchronization

/// Flows that may be at once, in the process or of a tunnel; shared by the loops.
final class FlowBudget: Sendable {
  private let limit: Atomic<Int>
  private let taken = Atomic<Int>(0)
  private let hasWaiters = Atomic<Bool>(false)
  private let waiters = Lock<[@Sendable () -> Void]>([])
  private let whenIdle = Lock<(@Sendable () -> Void)?>(nil)
  private let numbers = Atomic<UInt64>(0)

  init(capacity: Int) {
    limit = Atomic(capacity)
  }

  /// As many as there may be. Lowering it ends no flow.
  var capacity: Int {
    get { limit.load(ordering: .relaxed) }
    set {
      limit.store(newValue, ordering: .relaxed)
      callWaiters()
    }
  }

  /// Flows there are.
  var count: Int { taken.load(ordering: .relaxed) }

  /// The next flow's number.
  func nextNumber() -> UInt64 {
    numbers.wrappingAdd(1, ordering: .relaxed).newValue
  }

  /// Takes a place; false when there is none.
  func take() -> Bool {
    var count = taken.load(ordering: .relaxed)
    while count < capacity {
      let (exchanged, original) = taken.compareExchange(
        expected: count, desired: count + 1, ordering: .relaxed)
      if exchanged { return true }
      count = original
    }
    return false
  }

  /// Gives a place back and calls who waits for one.
  func give() {
    let (_, count) = taken.wrappingSubtract(1, ordering: .sequentiallyConsistent)
    if hasWaiters.load(ordering: .sequentiallyConsistent) { callWaiters() }
    if count == 0 { whenIdle.withLock { $0 }?() }
  }

  /// Calls `resume` once, when a place may be free; at once if one is.
  func waitForRoom(_ resume: @escaping @Sendable () -> Void) {
    waiters.withLock { $0.append(resume) }
    hasWaiters.store(true, ordering: .sequentiallyConsistent)
    if taken.load(ordering: .sequentiallyConsistent) < capacity { callWaiters() }
  }

  /// Calls `body` whenever the last flow ends, and at once when there is none.
  func notifyWhenIdle(_ body: @escaping @Sendable () -> Void) {
    whenIdle.withLock { $0 = body }
    if count == 0 { body() }
  }

  private func callWaiters() {
    let called = waiters.withLock { waiters in
      hasWaiters.store(false, ordering: .sequentiallyConsistent)
      defer { waiters = [] }
      return waiters
    }
    for resume in called { resume() }
  }
}
