internal import Kernel

/// Numbers that only grow, from 1.
final class GrowingNumber: Sendable {
  private let last = Lock<UInt64>(0)

  /// The next one, on any thread.
  func next() -> UInt64 {
    last.withLock { last in
      last += 1
      return last
    }
  }
}
