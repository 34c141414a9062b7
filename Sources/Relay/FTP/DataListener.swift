internal import FTP
internal import Kernel
internal import Reactor

/// A listening socket for one data connection from one host, for a limited time.
///
/// 1. It is bound to the control connection's own address on the side that it is for.
/// 2. Connections from other hosts are reset and counted; they do not use it up.
/// 3. The first from the control connection's peer closes it and becomes a flow.
/// 4. It is closed, too, when its time is over, its set-up was refused, or its session ends.
final class DataListener: EventHandler, TimerHandler {
  let route: ControlMachine.Route
  let address: SocketAddress
  private unowned let control: ControlFlow
  private let peer: IPAddress
  private var socket: Descriptor?
  private var registration = Registration.none
  private var timer: TimerToken?

  /// Connections from other hosts that are reset in one turn.
  private static let burst = 16

  init(
    _ route: ControlMachine.Route, at local: IPAddress, ports: ClosedRange<UInt16>?,
    for peer: IPAddress, of control: ControlFlow
  ) throws(Errno) {
    self.route = route
    self.control = control
    self.peer = peer
    let opened = try DataListener.open(local, ports, first: Int(control.number))
    try opened.listen(backlog: Int32(DataListener.burst))
    address = try opened.localAddress()
    socket = consume opened
  }

  private static func open(
    _ local: IPAddress, _ ports: ClosedRange<UInt16>?, first: Int
  ) throws(Errno) -> Descriptor {
    guard let ports else { return try bound(to: .ip(local, port: 0)) }
    // Sessions begin at different ports of the range, so that the first is not tried by all.
    for index in 0..<ports.count {
      let port = ports.lowerBound + UInt16((first + index) % ports.count)
      do {
        return try bound(to: .ip(local, port: port))
      } catch {
        guard error == .addressInUse else { throw error }
      }
    }
    throw .addressInUse
  }

  private static func bound(to address: SocketAddress) throws(Errno) -> Descriptor {
    let socket = try Descriptor.streamSocket(for: address)
    // Connections of earlier transfers linger at the port.
    try socket.set(.reuseAddress, 1)
    try socket.set(.urgentInline, 1)
    try socket.set(.noDelay, 1)
    try socket.bind(to: address)
    return socket
  }

  /// Begins to accept.
  func begin() throws(Errno) {
    let loop = control.home.loop
    switch socket {
    case .some(let socket): registration = try loop.watch(socket, self, for: [.readable])
    case .none: preconditionFailure("a closed data listener is begun")
    }
    timer = loop.setTimer(at: loop.now + control.settings.listenerLife, self)
  }

  func handle(_ readiness: Readiness, tag: UInt32) {
    for _ in 0..<DataListener.burst {
      guard let accepted = accept() else { return }
      guard case .ip(let ip, _) = accepted.peer.unmapped, ip == peer else {
        control.home.counters.ftpStrangers += 1
        control.home.system.reset(accepted.descriptor())
        continue
      }
      close()
      return control.dataArrived(accepted, at: self)
    }
  }

  private func accept() -> Accepted? {
    switch socket {
    // One connection's error is not the listener's.
    case .some(let socket): return (try? control.home.system.accept(socket)) ?? nil
    case .none: return nil
    }
  }

  func timerFired(tag: UInt32) {
    timer = nil
    control.home.counters.ftpExpired += 1
    control.closeListener()
  }

  /// Stops listening.
  func close() {
    guard let closed = socket.take() else { return }
    let home = control.home
    if let timer = timer.take() { home.loop.cancel(timer) }
    home.loop.forget(registration)
    home.system.close(closed)
  }
}
