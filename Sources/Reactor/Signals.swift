public import Kernel

/// Delivers signals to a closure on a loop. Made on the process's first thread, before others
/// start, since a signal goes to any thread that does not block it.
public final class Signals: EventHandler {
  private let source: SignalSource
  private let received: (Int32) -> Void

  /// Blocks `signals` and calls `received` on `loop` with each that comes. Kept alive by the loop.
  public init(
    _ signals: [Int32], on loop: EventLoop, _ received: @escaping (Int32) -> Void
  ) throws(Errno) {
    source = try SignalSource(signals)
    self.received = received
    _ = try loop.watch(source.descriptor, self, for: [.readable])
  }

  /// Takes the signals that came.
  public func handle(_ readiness: Readiness, tag: UInt32) {
    while let signal = try? source.next() { received(signal) }
  }
}
