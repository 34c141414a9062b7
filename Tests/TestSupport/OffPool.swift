internal import Dispatch
public import Kernel

/// Runs `body`, which may wait, on a thread of its own: the threads of Swift's concurrency are as
/// few as the processors, and tasks that wait for each other need them.
public func offPool<Value: Sendable>(
  _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
  try await withCheckedContinuation { continuation in
    DispatchQueue(label: "off-pool").async {
      continuation.resume(returning: Result { try body() })
    }
  }.get()
}

/// A plain blocking socket in a test that is async: it waits on threads of its own.
public struct PlayedSocket: Sendable {
  /// The socket, for calls that do not wait.
  public let socket: BlockingSocket

  /// Plays a socket.
  public init(_ socket: BlockingSocket) {
    self.socket = socket
  }

  /// Listens on a free port of 127.0.0.1.
  public static func listening() throws -> PlayedSocket {
    PlayedSocket(try BlockingSocket.listening())
  }

  /// Connects to a listener on this machine.
  public static func connected(to address: SocketAddress) async throws -> PlayedSocket {
    PlayedSocket(try await offPool { try BlockingSocket.connected(to: address) })
  }

  /// The socket's own address.
  public var address: SocketAddress {
    get throws { try socket.address }
  }

  /// Waits for a connection.
  public func accept() async throws -> PlayedSocket {
    PlayedSocket(try await offPool { [socket] in try socket.accept() })
  }

  /// Sends all bytes.
  public func send(_ bytes: [UInt8]) async throws {
    try await offPool { [socket] in try socket.send(bytes) }
  }

  /// Sends all bytes of a text.
  public func send(_ text: String) async throws { try await send(Array(text.utf8)) }

  /// Reads to the end or to `limit` bytes: what came, and how it ended.
  public func receiveAll(
    limit: Int = .max
  ) async throws -> (bytes: [UInt8], end: BlockingSocket.End) {
    try await offPool { [socket] in socket.receiveAll(limit: limit) }
  }

  /// Ends the stream and goes on reading.
  public func endStream() throws { try socket.endStream() }
}
