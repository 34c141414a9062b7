internal import Kernel
internal import Reactor

extension PortRelay {
  /// Begins to take datagrams for a tunnel. What comes back is closed with `close`: new clients are
  /// then not taken any more, and sessions end when they have been silent for a moment.
  public func listen(
    at address: ListenAddress, for tunnel: DatagramTunnel
  ) throws(ListenError) -> RelayListener {
    let sockets = try open(address, tunnel.settings)
    let listener = RelayListener(datagramSockets: sockets, tunnelName: tunnel.name)
    let active = activate(tunnel)
    let identity = ObjectIdentifier(listener)
    for (place, home) in homes.enumerated() {
      home.perform { relay in
        let service = DatagramService(identity, tunnel: active, home: relay)
        relay.add(service, of: identity)
        for set in sockets {
          service.add(Descriptor(adopting: set.numbers[place]), at: set.address)
        }
      }
    }
    return listener
  }

  /// Gives new sessions of a listener another tunnel; sessions there are keep their targets, and
  /// the time of silence holds for all.
  public func update(_ listener: RelayListener, to tunnel: DatagramTunnel) {
    let active = activate(tunnel)
    let identity = ObjectIdentifier(listener)
    for home in homes { home.perform { $0.services[identity]?.serve(active) } }
  }

  private func activate(_ tunnel: DatagramTunnel) -> ActiveDatagramTunnel {
    let sources = sourceBudgets.withLock { budgets in
      if let known = budgets[tunnel.name] { return known }
      let new = SourceBudget()
      budgets[tunnel.name] = new
      return new
    }
    return ActiveDatagramTunnel(
      tunnel, budget: flowBudget(of: tunnel.name, limit: tunnel.settings.flowLimit),
      sources: sources)
  }

  private func open(
    _ address: ListenAddress, _ settings: DatagramSettings
  ) throws(ListenError) -> [DatagramSockets] {
    switch address {
    case .address(let address):
      [try .open(address, count: homes.count, settings: settings)]
    case .everyAddress(let port):
      try DatagramSockets.openEverywhere(port: port, count: homes.count, settings: settings)
    case .inherited(let number):
      throw .notAListener(descriptor: number)
    }
  }
}
