public import Kernel

/// A task that waits until somebody resumes it, once: what a continuation is, without an allocation
/// and without a check. Who makes one promises that it is resumed exactly once.
@safe public struct Suspension<Value: Sendable>: Sendable {
  @usableFromInline let continuation: UnsafeContinuation<Value, Never>
  @usableFromInline let fence: Lock<Bool>?

  /// Suspends the task, has `body` keep the suspension, and returns what it is resumed with: on the
  /// executor that the task prefers.
  ///
  /// Inlined: a task that waits keeps a frame for each asynchronous call that it is in.
  @inlinable @inline(__always)
  public static func wait(
    isolation: isolated (any Actor)? = #isolation, _ body: (Suspension) -> Void
  ) async -> Value {
    await unsafe withUnsafeContinuation(isolation: isolation) { continuation in
      unsafe body(Suspension(continuation: continuation, fence: nil))
    }
  }

  /// The same for a body that gives the suspension to another thread, which may resume the task
  /// before it is suspended. The runtime orders the two threads then in a way that ThreadSanitizer
  /// does not see; a lock says it in one that it does.
  public static func handOver(
    isolation: isolated (any Actor)? = #isolation, _ body: (Suspension) -> Void
  ) async -> Value {
    let fence = Lock(false)
    let value = await unsafe withUnsafeContinuation(isolation: isolation) { continuation in
      unsafe body(Suspension(continuation: continuation, fence: fence))
    }
    fence.withLock { isResumed in assert(isResumed, "a task goes on when it is resumed") }
    return value
  }

  @usableFromInline
  init(continuation: UnsafeContinuation<Value, Never>, fence: Lock<Bool>?) {
    unsafe self.continuation = unsafe continuation
    self.fence = fence
  }

  /// Lets the task go on.
  public func resume(returning value: Value) {
    fence?.withLock { isResumed in isResumed = true }
    unsafe continuation.resume(returning: value)
  }
}

extension Suspension where Value == Void {
  /// Lets the task go on.
  public func resume() {
    resume(returning: ())
  }
}
