public import Kernel
internal import Reactor
public import TLS

/// What a listener is like.
public struct ListenerOptions: Sendable {
  /// Connections that the kernel keeps until they are accepted, at most `net.core.somaxconn`.
  public var backlog: Int32 = 4096
  /// Connections that are accepted and not taken; more wait in the kernel.
  public var acceptedLimit = 64
  /// Connections that ``Listener/run(_:)`` serves at once; more wait in the kernel.
  public var connectionLimit = 10_000
  /// SO_REUSEPORT: other listeners, also of other processes, share the port.
  public var sharesPort = false
  /// The name of the interface that connections come by.
  public var interface: String?
  /// TLS on every connection, before it is given out; nil for none.
  public var tls: TLSConfiguration?
  /// The time that a TLS handshake has.
  public var handshakeTimeout = Duration.seconds(10)

  /// A listener in clear with the usual settings.
  public init() {}
}

/// Accepts connections at one address.
///
/// ```swift
/// let listener = try await Listener(at: .ip(.any6, port: 7))
/// try await listener.run { connection in
///   while let line = try? await connection.receive(until: [10], limit: 1024) {
///     try await connection.send(line)
///   }
/// }
/// ```
///
/// When the system has no descriptor to give, clients wait in the kernel and nothing spins.
public actor Listener {
  /// Where it listens, with the port that it was given.
  public nonisolated let address: SocketAddress
  nonisolated let loop: EventLoop
  private nonisolated let bound: LoopBound<AcceptQueue>
  private let queue: AcceptQueue
  private nonisolated let options: ListenerOptions
  private nonisolated let tls: TLSContext?
  private var serving = 0
  private var placeWaiter: Suspension<Void>?

  /// Listens at an address; port 0 takes a free one. A stale socket file of this user is replaced.
  public init(
    at address: SocketAddress, options: ListenerOptions = ListenerOptions()
  ) async throws(SocketError) {
    var request = ListenRequest(at: address)
    request.backlog = options.backlog
    request.sharesPort = options.sharesPort
    if case .unix(let name) = address { try name.check() }
    if let interface = options.interface {
      guard let index = Interface.index(named: interface) else {
        throw .invalid("no interface is named \(interface)", expected: "one of this machine's")
      }
      request.interfaceIndex = index
    }
    do {
      tls = try options.tls.map { configuration throws(TLSError) in try TLSContext(configuration) }
    } catch {
      throw .tls(error)
    }
    let home = try SocketLoops.shared.next()
    let socket = try ListeningSocket(request)
    self.address = socket.address
    self.options = options
    loop = home.loop
    let file = socket.file
    let queue = AcceptQueue(
      socket.descriptor(), on: home, limit: options.acceptedLimit,
      file: file)
    self.queue = queue
    bound = LoopBound(queue, to: home.loop)
    bound.perform { queue in queue.open() }
  }

  deinit {
    bound.perform { queue in queue.close() }
  }

  /// The next connection. Fails with ``SocketError/closed`` when the listener is closed.
  ///
  /// With TLS the handshake is made here; a client that fails it is passed over. Several tasks may
  /// accept at once, so that one slow client does not keep the others waiting.
  public func accept() async throws(SocketError) -> Connection {
    while true {
      let accepted = try await next()
      let connection = try await Connection.make(
        accepted.descriptor.take(), peer: accepted.peer, on: SocketLoops.shared.next())
      if await secure(connection) { return connection }
    }
  }

  /// Gives every connection to `handler`, each in a task of its own that is isolated to the
  /// connection, until the listener is closed or the task is cancelled; returns when all handlers
  /// have. A connection is closed when its handler returns, and reset when it throws.
  public func run(
    _ handler: @escaping @Sendable (isolated Connection) async throws -> Void
  ) async {
    await withDiscardingTaskGroup { group in
      while await takePlace(), let accepted = try? await next() {
        guard let home = try? SocketLoops.shared.next() else { break }
        // The task prefers the connection's loop: nothing it does for the connection is a hop.
        group.addTask(executorPreference: home.tasks) {
          await self.serve(accepted, on: home, handler)
        }
      }
      givePlace()
    }
  }

  private nonisolated func serve(
    _ accepted: HandedConnection, on home: SocketLoop,
    _ handler: @Sendable (isolated Connection) async throws -> Void
  ) async {
    if let connection = try? await Connection.make(
      accepted.descriptor.take(), peer: accepted.peer, on: home), await secure(connection)
    {
      do {
        try await handler(connection)
        await connection.close()
      } catch {
        await connection.abort()
      }
    }
    await givePlace()
  }

  /// Makes the handshake where TLS is wanted; one client's failure is that client's alone.
  private nonisolated func secure(_ connection: Connection) async -> Bool {
    guard let tls else { return true }
    do {
      try await connection.startTLS(tls, timeout: options.handshakeTimeout)
      return true
    } catch {
      await connection.abort()
      return false
    }
  }

  /// Stops listening; the port is free when this returns. Connections that nobody has taken are
  /// reset, those that were taken go on.
  public func close() {
    queue.close()
  }

  // MARK: Places and waiting

  private func takePlace() async -> Bool {
    if serving >= options.connectionLimit {
      await Suspension<Void>.wait(isolation: self) { placeWaiter = $0 }
    }
    serving += 1
    return !Task.isCancelled
  }

  private func givePlace() {
    serving -= 1
    placeWaiter.take()?.resume()
  }

  private func next() async throws(SocketError) -> HandedConnection {
    let number = queue.nextNumber()
    let bound = self.bound
    return try await withTaskCancellationHandler {
      await Suspension<AcceptQueue.Outcome>.wait(isolation: self) { suspension in
        if Task.isCancelled {
          suspension.resume(returning: .failure(.cancelled))
        } else {
          queue.take(number, suspension)
        }
      }
    } onCancel: {
      bound.perform { queue in queue.cancel(number) }
    }.get()
  }
}

extension Listener {
  /// The connections as they come, until the listener is closed.
  public nonisolated var connections: Connections { Connections(listener: self) }

  /// Connections of a listener, one after the other.
  public struct Connections: AsyncSequence, AsyncIteratorProtocol, Sendable {
    let listener: Listener

    /// The sequence itself.
    public func makeAsyncIterator() -> Connections { self }

    /// The next connection; nil when the listener is closed.
    public mutating func next() async throws(SocketError) -> Connection? {
      do {
        return try await listener.accept()
      } catch {
        guard error == .closed else { throw error }
        return nil
      }
    }
  }
}
