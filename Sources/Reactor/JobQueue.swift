internal import Kernel

/// Work that reaches a loop from elsewhere, in order, with at most one wake-up in flight.
final class JobQueue: Sendable {
  enum Job: Sendable {
    case closure(@Sendable () -> Void)
    case task(LoopTask)
  }

  private struct State {
    var jobs: [Job] = []
    var wakeUpIsOnItsWay = false
    var isClosed = false
  }

  private let state = Lock(State())
  private let wakeUp: WakeUp

  init() throws(Errno) {
    wakeUp = try WakeUp()
  }

  /// The descriptor that becomes readable when a job comes.
  var descriptor: Int32 { wakeUp.descriptor.number }

  /// Puts a job in. A closed queue lets go of it: nobody would ever take it out.
  func append(_ job: Job) {
    let mustSignal = state.withLock { state in
      guard !state.isClosed else { return false }
      state.jobs.append(job)
      defer { state.wakeUpIsOnItsWay = true }
      return !state.wakeUpIsOnItsWay
    }
    if mustSignal { wakeUp.signal() }
  }

  /// Takes jobs, or takes none any more.
  func setClosed(_ isClosed: Bool) {
    state.withLock { $0.isClosed = isClosed }
  }

  /// Takes every job that came; afterwards the next one signals again.
  func takeAll() -> [Job] {
    wakeUp.clear()
    return state.withLock { state in
      state.wakeUpIsOnItsWay = false
      defer { state.jobs = [] }
      return state.jobs
    }
  }
}
