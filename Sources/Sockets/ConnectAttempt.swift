internal import Kernel
internal import Names
internal import Reactor

/// One attempt to connect to one address. It is over with a call of `ended`, unless abandoned.
final class ConnectAttempt: EventHandler {
  private let address: SocketAddress
  private let request: ConnectRequest
  private let home: SocketLoop
  private let ended: (Errno?) -> Void
  private var socket: Descriptor?
  private var registration = Registration.none

  init(
    to address: SocketAddress, _ request: ConnectRequest, on home: SocketLoop,
    ended: @escaping (Errno?) -> Void
  ) {
    self.address = address
    self.request = request
    self.home = home
    self.ended = ended
  }

  /// Opens a socket and begins to connect; `ended` may be called before this returns.
  func begin() {
    do {
      let opened = try Descriptor.streamSocket(for: address)
      try prepare(opened)
      _ = try opened.connect(to: address)
      registration = try home.loop.watch(opened, self)
      socket = consume opened
    } catch {
      ended(error)
    }
  }

  private func prepare(_ socket: borrowing Descriptor) throws(Errno) {
    guard case .ip(let ip, _) = address else { return }
    if request.sendsAtOnce { try socket.set(.noDelay, 1) }
    if let index = request.interfaceIndex { try socket.stay(onInterface: index) }
    guard !request.isUnbound else { return }
    guard let local = request.localAddress(for: AddressFamily(of: ip)) else {
      throw .addressNotAvailable
    }
    // A client's own port may be one whose last connection lingers.
    try socket.set(.reuseAddress, 1)
    try socket.bind(to: local)
  }

  func handle(_ readiness: Readiness, tag: UInt32) {
    guard isOpen else { return }
    if let error = failure(readiness) {
      abandon()
      ended(error)
    } else {
      ended(nil)
    }
  }

  private var isOpen: Bool {
    switch socket {
    case .some: true
    case .none: false
    }
  }

  private func failure(_ readiness: Readiness) -> Errno? {
    switch socket {
    case .some(let socket):
      guard readiness.contains(.error) else {
        return isToItself(socket) ? .connectionRefused : nil
      }
      do {
        // A peer that answered and reset at once was reached: reading tells what it said.
        if case .moved = try socket.peekByte() { return nil }
        return try socket.takeError() ?? .connectionReset
      } catch {
        return error
      }
    case .none: return .connectionReset
    }
  }

  /// True when the kernel has connected the socket to itself: nobody listens at a port of this
  /// machine, and the socket was given that very port.
  private func isToItself(_ socket: borrowing Descriptor) -> Bool {
    guard case .ip(let ip, _) = address, ip.isLoopback else { return false }
    return (try? socket.localAddress()) == address
  }

  /// Gives the connection out.
  func transport() throws(SocketError) -> Transport {
    guard let connected = socket.take() else {
      preconditionFailure("a connection is given out once")
    }
    home.loop.unwatch(registration, connected)
    // Watched anew, what is ready by now is reported again.
    return try Transport(connected, peer: address, on: home)
  }

  /// Closes the socket of an attempt that nobody waits for.
  func abandon() {
    guard let unwanted = socket.take() else { return }
    home.loop.forget(registration)
    _ = consume unwanted
  }
}
