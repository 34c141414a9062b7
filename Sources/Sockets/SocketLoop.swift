internal import Kernel
internal import Names
package import Reactor

/// An event loop with what the sockets on it share: a resolver and a buffer, each made when first
/// needed and used on the loop's thread only.
package final class SocketLoop {
  /// Bytes of the shared buffer: one read of a socket fills at most this much.
  package static let scratchSize = 65_536

  package let loop: EventLoop
  private var knownResolver: Resolver?
  private var knownScratch: ChunkPool?

  init(_ loop: EventLoop) {
    self.loop = loop
  }
}
