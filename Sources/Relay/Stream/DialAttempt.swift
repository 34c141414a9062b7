internal import Kernel
internal import Reactor

/// One attempt to connect to one address. It ends with a call of its dialer, unless abandoned.
final class DialAttempt: EventHandler {
  /// The number that the dialer knows it by.
  let number: UInt32
  let address: SocketAddress
  /// The own address that the connection comes from; nil for the kernel's choice.
  private let source: SocketAddress?
  private unowned let dialer: Dialer
  private let home: RelayLoop
  private var socket: Descriptor?
  private var registration = Registration.none
  private var progress = ConnectProgress.inProgress
  /// What the socket was ready for when it connected: the change is not reported again.
  private(set) var readiness: Readiness = []

  init(
    _ number: UInt32, to address: SocketAddress, from source: SocketAddress?, for dialer: Dialer,
    home: RelayLoop
  ) {
    self.source = source
    self.number = number
    self.address = address
    self.dialer = dialer
    self.home = home
  }

  /// Opens a socket and begins to connect.
  func begin() throws(Errno) {
    let opened = try home.system.open(for: address)
    if let source { try home.system.bind(opened, to: source) }
    // A unix socket connects at once; its readiness comes all the same, with the loop's next turn.
    progress = try home.system.connect(opened, to: address)
    registration = try home.loop.watch(opened, self)
    socket = consume opened
  }

  func handle(_ readiness: Readiness, tag: UInt32) {
    guard let error = failure(readiness) else {
      self.readiness = readiness
      return dialer.connected(self)
    }
    abandon()
    dialer.failed(self, error)
  }

  /// Why there is no connection. A target that answered and left, or reset, has been reached: its
  /// bytes are there, and reading tells how they end.
  private func failure(_ readiness: Readiness) -> Errno? {
    guard readiness.contains(.error), progress != .connected else { return nil }
    switch socket {
    case .some(let socket):
      do {
        let seen = try home.withScratch { chunk throws(Errno) in
          try home.system.peek(socket, into: chunk)
        }
        if case .moved = seen { return nil }
        return try home.system.takeError(socket) ?? .connectionReset
      } catch {
        return error
      }
    case .none: return .connectionReset
    }
  }

  /// The first port that Linux gives to sockets that ask for none, `ip_local_port_range`.
  private static let firstEphemeralPort: UInt16 = 32_768

  /// True when the kernel has connected the socket to itself: nobody listens at a port of this
  /// machine, and the socket was given that very port.
  var isToItself: Bool {
    guard case .ip(let ip, let port) = address, ip.isLoopback,
      port >= DialAttempt.firstEphemeralPort
    else { return false }
    switch socket {
    case .some(let socket): return (try? home.system.localAddress(socket)) == address
    case .none: return false
    }
  }

  /// Gives the connection out.
  func endpoint() -> Endpoint {
    guard let connected = socket.take() else {
      preconditionFailure("a connection is given out once")
    }
    return Endpoint(connected, registration, peer: address)
  }

  /// Closes the socket of an attempt that nobody waits for.
  func abandon(withReset reset: Bool = false) {
    guard let unwanted = socket.take() else { return }
    home.loop.forget(registration)
    if reset { home.system.reset(unwanted) } else { home.system.close(unwanted) }
  }
}
