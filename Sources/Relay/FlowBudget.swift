internal import Kernel
internal import Synchronization

/// Flows that the process may have at once, shared by its loops.
final class FlowBudget: Sendable {
  let capacity: Int
  private let taken = Atomic<Int>(0)
  private let hasWaiters = Atomic<Bool>(false)
  private let waiters = Lock<[@Sendable () -> Void]>([])
  private let whenIdle = Lock<(@Sendable () -> Void)?>(nil)
  private let numbers = Atomic<UInt64>(0)

  init(capacity: Int) {
    self.capacity = capacity
  }

  /// Flows there are.
  var count: Int { taken.load(ordering: .relaxed) }

  /// The next flow's number.
  func nextNumber() -> UInt64 {
    numbers.wrappingAdd(1, ordering: .relaxed).newValue
  }

  /// Takes a place; false when there is none.
  func take() -> Bool {
    let (_, count) = taken.wrappingAdd(1, ordering: .relaxed)
    if count <= capacity { return true }
    give()
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
