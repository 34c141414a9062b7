/// How a task's waiting ended.
enum WaitEnd: Sendable {
  /// What was waited for may be there.
  case ready
  case timedOut
  case cancelled
  case closed
}

/// A task that is suspended. Whoever holds it resumes it exactly once.
///
/// An unsafe continuation, since a checked one would allocate for each operation that waits; that
/// it is resumed once is the rule of `WaitLine`, which hands out each one once.
@safe struct SuspendedTask: Sendable {
  private let continuation: UnsafeContinuation<WaitEnd, Never>

  private init(_ continuation: UnsafeContinuation<WaitEnd, Never>) {
    unsafe self.continuation = continuation
  }

  func resume(_ end: WaitEnd) { unsafe continuation.resume(returning: end) }

  /// Suspends the calling task; `body` keeps it for later.
  static func suspend(
    isolation: isolated (any Actor)? = #isolation, _ body: (SuspendedTask) -> Void
  ) async -> WaitEnd {
    unsafe await withUnsafeContinuation(isolation: isolation) { continuation in
      body(unsafe SuspendedTask(continuation))
    }
  }
}
