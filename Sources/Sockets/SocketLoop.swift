internal import Kernel
package import Names
package import Reactor
internal import Synchronization

/// An event loop with what the sockets on it share: a resolver and a buffer.
///
/// Guard of the `@unchecked`: all but `loop` and `tasks` is used on the loop's thread only.
package final class SocketLoop: @unchecked Sendable {
  /// Bytes of the shared buffer: what is read before it is known who needs it.
  package static let scratchSize = 65_536

  /// The loop.
  package let loop: EventLoop
  /// The loop for tasks that are about its sockets.
  let tasks: LoopTasks
  private var knownResolver: Resolver?
  private var scratch: [UInt8] = []
  private var ciphertext: [UInt8] = []

  init(_ loop: EventLoop) {
    self.loop = loop
    tasks = LoopTasks(loop)
  }

  /// The loop's resolver, made when the first name is met.
  package func resolver() throws(NamesError) -> Resolver {
    if let knownResolver { return knownResolver }
    let made = try Resolver(loop: loop)
    knownResolver = made
    return made
  }

  /// Calls `body` with a buffer that holds nothing between two calls. Not to be nested.
  package func withScratch<Value, Failure: Error>(
    _ body: (inout MutableRawSpan) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try SocketLoop.with(&scratch, body)
  }

  /// The same with the buffer that TLS uses between a socket and an engine, whose bytes in clear
  /// may be on their way into the other one.
  func withCiphertext<Value, Failure: Error>(
    _ body: (inout MutableRawSpan) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try SocketLoop.with(&ciphertext, body)
  }

  private static func with<Value, Failure: Error>(
    _ buffer: inout [UInt8], _ body: (inout MutableRawSpan) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    if buffer.isEmpty { buffer = [UInt8](repeating: 0, count: scratchSize) }
    var span = buffer.mutableSpan
    var bytes = span.mutableOctets
    return try body(&bytes)
  }
}

/// The loops that the process's sockets live on: one a processor, each on a thread of its own,
/// started with the first socket and never ended. Sockets are given to them in turn.
package final class SocketLoops: Sendable {
  /// The process's loops.
  package static let shared = SocketLoops()

  private let loops = Lock<[SocketLoop]>([])
  private let turn = Atomic<Int>(0)

  /// The loop for a new socket.
  package func next() throws(SocketError) -> SocketLoop {
    let loops = try started()
    let turn = self.turn.wrappingAdd(1, ordering: .relaxed).oldValue
    return loops[Int(UInt(bitPattern: turn) % UInt(loops.count))]
  }

  private func started() throws(SocketError) -> [SocketLoop] {
    do {
      return try loops.withLock { loops throws(Errno) in
        if loops.isEmpty {
          // c-ares writes to TCP sockets without a flag against SIGPIPE.
          SignalSource.ignoreBrokenPipe()
          let group = try LoopGroup(count: ProcessLimits.processorCount, name: "sockets")
          loops = group.loops.map { SocketLoop($0) }
        }
        return loops
      }
    } catch {
      throw .system(error, doing: "starting the event loops")
    }
  }
}
