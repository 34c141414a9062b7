internal import Kernel
internal import Reactor

/// One of a flow's two sockets with its place in the loop.
struct Endpoint: ~Copyable {
  /// The socket; nil before it is connected and after it was closed.
  private var socket: Descriptor?
  /// Its place in the loop; meaningful while there is a socket.
  private(set) var registration = Registration.none
  /// The peer's address.
  private(set) var peer: SocketAddress = .unix(.unnamed)
  /// The peer has ended its stream, the socket has an error or carries an urgent byte: a short read
  /// does not mean that nothing is left.
  var endIsNear = false
  /// Of the client: a write found no room, and since then room to write is reported.
  var watchesRoom = false
  /// TCP_USER_TIMEOUT is taken back while the peer's window is closed.
  var userTimeoutIsSuspended = false
  /// Writes so far, up to 2: Nagle's algorithm matters from the second on.
  var writes: UInt8 = 0

  /// No socket.
  init() {}

  /// No socket yet.
  init(peer: SocketAddress) {
    self.peer = peer
  }

  init(_ socket: consuming Descriptor, _ registration: Registration, peer: SocketAddress) {
    self.socket = consume socket
    self.registration = registration
    self.peer = peer
  }

  mutating func open(_ socket: consuming Descriptor, _ registration: Registration) {
    self.socket = consume socket
    self.registration = registration
  }

  var isOpen: Bool {
    switch socket {
    case .some: true
    case .none: false
    }
  }

  var isUnix: Bool {
    switch peer {
    case .unix: true
    case .ip: false
    }
  }

  /// Calls `body` with the socket, which must be there.
  borrowing func withSocket<Result, Failure: Error>(
    _ body: (borrowing Descriptor) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    switch socket {
    case .some(let socket): return try body(socket)
    case .none: preconditionFailure("an endpoint without a socket is used")
    }
  }

  /// Takes the socket out, to close it.
  mutating func take() -> Descriptor? {
    socket.take()
  }
}
