/// A loop as the executor that a task prefers.
///
/// A continuation is resumed on the pool otherwise, whatever the isolation of the code that waits
/// (Swift 6.3), and goes from there to its actor. An object of its own, apart from the loop as the
/// executor of actors: a job is run with the preference of its task, so that the runtime finds the
/// task where it wants to be and does not put it in line a second time.
public final class LoopTasks: TaskExecutor {
  private let loop: EventLoop

  /// Makes the executor of a loop. Whoever gives it to a task keeps it until the task has ended.
  public init(_ loop: EventLoop) {
    self.loop = loop
  }

  /// Takes a task's job.
  public func enqueue(_ job: consuming ExecutorJob) {
    loop.take(LoopTask(UnownedJob(job), preferring: self))
  }
}

/// A job of Swift's concurrency that waits for its turn on a loop.
@safe struct LoopTask: Sendable {
  private let job: UnownedJob
  private let preferred: UnownedTaskExecutor?

  init(_ job: UnownedJob, preferring preferred: LoopTasks?) {
    self.job = job
    // The task that has the preference keeps its executor alive.
    unsafe self.preferred = unsafe preferred?.asUnownedTaskExecutor()
  }

  /// Runs the job, on the loop's thread.
  func run(on loop: EventLoop) {
    let isolation = unsafe loop.asUnownedSerialExecutor()
    if let preferred = unsafe preferred {
      unsafe job.runSynchronously(isolatedTo: isolation, taskExecutor: preferred)
    } else {
      unsafe job.runSynchronously(on: isolation)
    }
  }
}
