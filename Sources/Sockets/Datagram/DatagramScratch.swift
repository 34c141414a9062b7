package import Kernel
package import Reactor

/// The batch that all sockets of one loop receive into: an idle socket has no memory of its own.
/// On the loop's thread only, the guard of the `@unchecked Sendable`.
package final class DatagramScratch: @unchecked Sendable {
  /// Datagrams received in one call. Each slot takes the memory of the longest it has held.
  package static let slots = 32

  private var batch: DatagramBatch

  private init() throws(Errno) {
    batch = try DatagramBatch(capacity: DatagramScratch.slots)
  }

  /// Calls `body` with the batch, which holds nothing between two calls. Not to be nested.
  package func withBatch<Result, Failure: Error>(
    _ body: (inout DatagramBatch) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(&batch)
  }

  private struct Entry {
    weak var scratch: DatagramScratch?
  }

  private static let known = Lock<[ObjectIdentifier: Entry]>([:])

  /// The scratch of a loop, made when the first socket needs it and kept by those that have it.
  package static func of(_ loop: EventLoop) throws(Errno) -> DatagramScratch {
    try known.withLock { (known) throws(Errno) in
      // A loop that has ended may have left an entry under the number of a new one; its sockets
      // keep it, and it then has another scratch, or none.
      if let scratch = known[ObjectIdentifier(loop)]?.scratch { return scratch }
      let scratch = try DatagramScratch()
      known = known.filter { $0.value.scratch != nil }
      known[ObjectIdentifier(loop)] = Entry(scratch: scratch)
      return scratch
    }
  }
}
