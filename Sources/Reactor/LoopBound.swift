/// A value that only code on one loop's thread touches, held by code that runs elsewhere.
@safe public struct LoopBound<Value>: Sendable {
  private let loop: EventLoop
  // Guard of the `nonisolated(unsafe)`: `perform` hands it to code on the loop's thread only.
  private nonisolated(unsafe) let value: Value

  /// Binds a value to a loop. The caller keeps no other reference that it would use elsewhere.
  public init(_ value: Value, to loop: EventLoop) {
    self.loop = loop
    unsafe self.value = value
  }

  /// Calls `body` with the value on the loop, soon.
  public func perform(_ body: @escaping @Sendable (Value) -> Void) {
    loop.post { unsafe body(value) }
  }
}
