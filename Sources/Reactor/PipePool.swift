public import Kernel

/// A pipe of a pool. It is a class since an array cannot hold what cannot be copied.
public final class PooledPipe {
  /// The pipe.
  public let pipe: SplicePipe

  init(_ pipe: consuming SplicePipe) {
    self.pipe = pipe
  }
}

/// Pipes for splice(2), held by a flow only while they hold bytes.
public struct PipePool: ~Copyable {
  /// Makes a pipe with about `capacity` bytes, or fails at a limit of the process.
  public typealias Maker = (_ capacity: Int) throws(Errno) -> SplicePipe

  /// Pipes that may be open at once.
  public let limit: Int
  private let capacity: Int
  private let make: Maker
  private var free: [PooledPipe] = []
  /// Pipes open, lent or not.
  public private(set) var open = 0
  /// Requests refused, at the limit or because no pipe could be opened.
  public private(set) var refusals: UInt64 = 0

  /// Makes an empty pool.
  public init(limit: Int, capacity: Int, make: @escaping Maker) {
    self.limit = limit
    self.capacity = capacity
    self.make = make
  }

  /// Lends an empty pipe; nil at the limit or when none can be opened: then bytes are copied.
  public mutating func take() -> PooledPipe? {
    if let pipe = free.popLast() { return pipe }
    guard open < limit, let pipe = try? make(capacity) else {
      refusals += 1
      return nil
    }
    open += 1
    return PooledPipe(pipe)
  }

  /// Takes an empty pipe back.
  public mutating func give(_ pipe: PooledPipe) {
    free.append(pipe)
  }

  /// Closes a pipe with the bytes that are still in it.
  public mutating func discard(_ pipe: PooledPipe) {
    open -= 1
  }

  /// Closes every pipe that is not lent.
  public mutating func trim() {
    open -= free.count
    free = []
  }
}
