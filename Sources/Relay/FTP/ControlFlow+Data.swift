internal import FTP
internal import Kernel

/// The data connections of a session: each is a flow like any other, between the one who comes to
/// a listener of ours and the other side's control peer.
extension ControlFlow {
  func perform(_ actions: [ControlMachine.Action]) {
    for action in actions {
      switch action {
      case .toClient(let bytes): clientSide.output.append(bytes)
      case .toServer(let bytes): targetSide.output.append(bytes)
      case .closePending: closeListener()
      case .open(let route):
        let port = open(route)
        perform(machine?.listening(at: port) ?? [])
      }
    }
  }

  /// Opens a listener, which holds the places of the flow that it is for. Nil when it cannot be.
  private func open(_ route: ControlMachine.Route) -> UInt16? {
    closeListener()
    dataFlows.removeAll { $0.isClosed }
    guard dataFlows.count < FTPSettings.dataFlowsPerSession, takePlaces() else {
      home.counters.ftpNoPort += 1
      return nil
    }
    do {
      let opened = try makeListener(route)
      listener = opened
      try opened.begin()
      return opened.address.port
    } catch {
      home.counters.ftpNoPort += 1
      if listener == nil { givePlaces() } else { closeListener() }
      return nil
    }
  }

  private func makeListener(_ route: ControlMachine.Route) throws(Errno) -> DataListener {
    switch route {
    case .passive:
      guard let local = clientLocal?.ip, let peer = client.peer.ip else { throw .invalidArgument }
      return try DataListener(
        route, at: local, ports: settings.passivePorts, for: peer, of: self)
    case .active:
      guard let local = targetLocal?.ip, let peer = target.peer.unmapped.ip else {
        throw .invalidArgument
      }
      return try DataListener(route, at: local, ports: nil, for: peer, of: self)
    }
  }

  private func takePlaces() -> Bool {
    guard home.budget.take() else { return false }
    if tunnel.budget.take() { return true }
    home.budget.give()
    return false
  }

  private func givePlaces() {
    tunnel.budget.give()
    home.budget.give()
  }

  /// Closes the listener that nobody has come to.
  func closeListener() {
    guard let closed = listener.take() else { return }
    closed.close()
    givePlaces()
  }

  /// Whom a listener was for has come: its places are the flow's now.
  func dataArrived(_ accepted: consuming Accepted, at listener: DataListener) {
    self.listener = nil
    let leg: (to: SocketAddress, from: SocketAddress)?
    switch listener.route {
    case .passive(let port):
      leg = legs(target.peer.ip, port, targetLocal?.ip, 0)
    case .active(let port):
      leg = legs(client.peer.ip, port, clientLocal?.ip, settings.sourcePort ?? 0)
    }
    guard let leg else {
      givePlaces()
      return home.system.reset(accepted.descriptor())
    }
    let data = ActiveTunnel(dataOf: tunnel, to: leg.to, from: leg.from)
    dataFlows.append(home.beginFlow(accepted, for: data, at: listener.address))
  }

  private func legs(
    _ peer: IPAddress?, _ port: UInt16, _ local: IPAddress?, _ localPort: UInt16
  ) -> (to: SocketAddress, from: SocketAddress)? {
    guard let peer, let local else { return nil }
    return (.ip(peer, port: port), .ip(local, port: localPort))
  }

  /// Resets data connections in the middle of a transfer. One of which an end has come has been
  /// sent whole, and is delivered.
  func abortData() {
    for flow in dataFlows where !flow.isClosed {
      let machine = flow.machine
      let isWhole = machine.upward.state != .flowing || machine.downward.state != .flowing
      if flow.dialer != nil || !isWhole { flow.abort(because: .stopped) }
    }
    dataFlows = []
  }
}

extension SocketAddress {
  /// The address without the port; nil for a unix socket.
  var ip: IPAddress? {
    switch self {
    case .ip(let address, _): address
    case .unix: nil
    }
  }
}
