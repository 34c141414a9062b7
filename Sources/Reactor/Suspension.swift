/// A task that waits until somebody resumes it, once: what a continuation is, without an allocation
/// and without a check. Who makes one promises that it is resumed exactly once.
@safe public struct Suspension<Value: Sendable>: Sendable {
  private let continuation: UnsafeContinuation<Value, Never>

  /// Suspends the task, has `body` keep the suspension, and returns what it is resumed with: on the
  /// executor that the task prefers.
  public static func wait(
    isolation: isolated (any Actor)? = #isolation, _ body: (Suspension) -> Void
  ) async -> Value {
    await unsafe withUnsafeContinuation(isolation: isolation) { continuation in
      unsafe body(Suspension(continuation: continuation))
    }
  }

  private init(continuation: UnsafeContinuation<Value, Never>) {
    unsafe self.continuation = unsafe continuation
  }

  /// Lets the task go on.
  public func resume(returning value: Value) {
    unsafe continuation.resume(returning: value)
  }
}

extension Suspension where Value == Void {
  /// Lets the task go on.
  public func resume() {
    resume(returning: ())
  }
}
