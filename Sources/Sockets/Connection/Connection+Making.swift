public import Kernel
internal import Reactor
internal import TLS

extension Connection {
  /// Connects to a host by its name or its address in text. All its addresses are tried as RFC 8305
  /// says; the first that answers is taken.
  public static func connect(
    to host: String, port: UInt16, options: ConnectionOptions = ConnectionOptions()
  ) async throws(SocketError) -> Connection {
    try await connect(to: .host(host, port: port), hostName: host, options)
  }

  /// Connects to an address, or to a unix socket.
  public static func connect(
    to address: SocketAddress, options: ConnectionOptions = ConnectionOptions()
  ) async throws(SocketError) -> Connection {
    if case .unix(let name) = address { try name.check() }
    return try await connect(to: .address(address), hostName: nil, options)
  }

  /// Takes over a connected stream socket of any kind.
  public static func adopt(
    _ descriptor: consuming Descriptor
  ) async throws(SocketError) -> Connection {
    let peer: SocketAddress
    do {
      peer = try descriptor.prepareForAdoption()
    } catch {
      throw .system(error, doing: "taking over a connection")
    }
    return try await make(descriptor, peer: peer, on: SocketLoops.shared.next())
  }

  static func make(
    _ descriptor: consuming Descriptor, peer: SocketAddress, on home: SocketLoop
  ) async throws(SocketError) -> Connection {
    let handed = HandedDescriptor(descriptor)
    return try await Suspension.handOver { suspension in
      home.loop.post {
        suspension.resume(
          returning: Result { () throws(SocketError) in
            Connection(try Transport(handed.take(), peer: peer, on: home))
          })
      }
    }.get()
  }

  private static func connect(
    to destination: ConnectRequest.Destination, hostName: String?, _ options: ConnectionOptions
  ) async throws(SocketError) -> Connection {
    let start = Instant.now()
    let request = try options.request(to: destination)
    let connection = try await connect(request)
    do {
      if let keepalive = options.keepalive, case .ip = connection.remoteAddress {
        try await connection.withDescriptor { socket throws(Errno) in try socket.set(keepalive) }
      }
      if var tls = options.tls {
        if case .client(nil) = tls.role { tls.role = .client(hostName: hostName) }
        let left = options.timeout.map { start + $0 - Instant.now() } ?? .seconds(10)
        try await connection.startTLS(tls, timeout: left)
      }
    } catch {
      await connection.abort()
      throw error
    }
    return connection
  }

  private static func connect(_ request: ConnectRequest) async throws(SocketError) -> Connection {
    let home = try SocketLoops.shared.next()
    let making = Making()
    return try await withTaskCancellationHandler {
      await Suspension.handOver { suspension in
        home.loop.post { making.begin(request, on: home, suspension) }
      }
    } onCancel: {
      home.loop.post { making.cancel() }
    }.get()
  }
}

/// A connection that is being made.
///
/// Guard of the `@unchecked`: used on its loop's thread only.
private final class Making: @unchecked Sendable {
  typealias Outcome = Result<Connection, SocketError>

  private var connector: Connector?
  private var suspension: Suspension<Outcome>?
  private var isCancelled = false

  func begin(
    _ request: ConnectRequest, on home: SocketLoop,
    _ suspension: Suspension<Outcome>
  ) {
    guard !isCancelled else { return suspension.resume(returning: .failure(.cancelled)) }
    self.suspension = suspension
    let connector = Connector(request, on: home) { [self] result in
      switch result {
      case .success(let transport): finish(.success(Connection(transport)))
      case .failure(let error): finish(.failure(error))
      }
    }
    self.connector = connector
    connector.start()
  }

  func cancel() {
    isCancelled = true
    connector?.cancel()
    finish(.failure(.cancelled))
  }

  private func finish(_ outcome: Outcome) {
    connector = nil
    suspension.take()?.resume(returning: outcome)
  }
}

extension Descriptor {
  /// Makes sure that a descriptor is a connected stream socket, and returns its peer.
  package borrowing func prepareForAdoption() throws(Errno) -> SocketAddress {
    guard try get(.type) == SocketOption.streamType, try get(.isListening) == 0 else {
      throw .notASocket
    }
    try makeNonblocking()
    return try remoteAddress()
  }
}

/// A descriptor on its way to another thread.
///
/// Guard of the `@unchecked`: taken once, by whom it was handed to.
final class HandedDescriptor: @unchecked Sendable {
  private var descriptor: Descriptor?

  init(_ descriptor: consuming Descriptor) {
    self.descriptor = consume descriptor
  }

  func take() -> Descriptor {
    guard let taken = descriptor.take() else {
      preconditionFailure("a descriptor is handed over once")
    }
    return taken
  }
}

extension UnixName {
  /// Objects to a name that the kernel has no room for.
  package func check() throws(SocketError) {
    let (bytes, limit) =
      switch self {
      case .path(let path): (path.utf8.count, UnixName.pathLimit)
      case .abstract(let name): (name.utf8.count, UnixName.pathLimit)
      case .unnamed: (0, 0)
      }
    guard bytes > 0 else { throw .invalid("a unix socket without a name", expected: "a name") }
    guard bytes <= limit else {
      throw .invalid(
        "\(SocketAddress.unix(self)) has \(bytes) bytes", expected: "at most \(limit)")
    }
    let text = "\(SocketAddress.unix(self))"
    guard !text.utf8.contains(0) else {
      throw .invalid("the name of a unix socket contains a zero byte", expected: "a name without")
    }
  }
}
