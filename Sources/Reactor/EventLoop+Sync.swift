internal import Kernel

extension EventLoop {
  /// Runs `body` on the loop and waits for it; at once where the caller is on the loop already.
  ///
  /// For threads that may wait, never for another loop's: two that wait for each other wait for
  /// ever. The loop must be running, and go on.
  public func sync<Value, Failure: Error>(
    _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    if isCurrent { return try body() }
    let outcome = Monitor<Result<Value, Failure>?>(nil)
    let result = withoutActuallyEscaping(body) { escaping in
      // Guard of the `nonisolated(unsafe)`: this thread waits while the loop runs it. The loop lets
      // go of it before it says so: what was posted may be kept a little longer.
      nonisolated(unsafe) var work: (() throws(Failure) -> Value)? = escaping
      post {
        let result = unsafe work.take().map { work in
          Result { () throws(Failure) in try work() }
        }
        outcome.withLock { $0 = result }
        outcome.signal()
      }
      return outcome.wait { $0 }
    }
    guard let result else { preconditionFailure("a wait without a deadline has ended") }
    return try result.get()
  }
}
