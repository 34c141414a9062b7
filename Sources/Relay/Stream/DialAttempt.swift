internal import Kernel
internal import Reactor

/// One attempt to connect to one address. It ends with a call of its dialer, unless abandoned.
final class DialAttempt: EventHandler {
  /// The number that the dialer knows it by.
  let number: UInt32
  let address: SocketAddress
  private unowned let dialer: Dialer
  private let home: RelayLoop
  private var socket: Descriptor?
  private var registration = Registration.none
  /// What the socket was ready for when it connected: the change is not reported again.
  private(set) var readiness: Readiness = []

  init(_ number: UInt32, to address: SocketAddress, for dialer: Dialer, home: RelayLoop) {
    self.number = number
    self.address = address
    self.dialer = dialer
    self.home = home
  }

  /// Opens a socket and begins to connect.
  func begin() throws(Errno) {
    let opened = try home.system.open(for: address)
    // A unix socket connects at once; its readiness comes all the same, with the loop's next turn.
    _ = try home.system.connect(opened, to: address)
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

  private func failure(_ readiness: Readiness) -> Errno? {
    guard readiness.contains(.error) || readiness.contains(.hungUp) else { return nil }
    switch socket {
    case .some(let socket):
      let error = (try? home.system.takeError(socket)) ?? nil
      return error ?? .connectionReset
    case .none: return .connectionReset
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
  func abandon() {
    guard let unwanted = socket.take() else { return }
    home.loop.forget(registration)
    home.system.close(unwanted)
  }
}
