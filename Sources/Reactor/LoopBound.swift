/// A value that only code on one loop's thread touches, held by code that runs elsewhere. It ends
/// on the loop too.
@safe public final class LoopBound<Value>: Sendable {
  private let loop: EventLoop
  // Guard of the `nonisolated(unsafe)`: it is handed to code on the loop's thread only.
  private nonisolated(unsafe) let value: Value

  /// Binds a value to a loop. The caller keeps no other reference that it would use elsewhere.
  public init(_ value: Value, to loop: EventLoop) {
    self.loop = loop
    unsafe self.value = value
  }

  deinit {
    nonisolated(unsafe) let last = unsafe value
    loop.post { _ = unsafe last }
  }

  /// Calls `body` with the value on the loop, soon.
  public func perform(_ body: @escaping @Sendable (Value) -> Void) {
    loop.post { unsafe body(self.value) }
  }
}
