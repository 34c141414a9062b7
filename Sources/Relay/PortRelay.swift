public import Kernel
internal import Names
public import Reactor

/// The data plane for TCP and UDP ports: listeners and their flows on a group of loops.
///
/// Members may be used from any thread. Opening a listener happens in the caller, so that its error
/// is known at once; everything else is done on the loops soon after.
public final class PortRelay: Sendable {
  /// The limits in force.
  public let limits: RelayLimits
  let homes: [LoopBound<RelayLoop>]
  private let budget: FlowBudget
  private let tunnelBudgets = Lock<[String: FlowBudget]>([:])
  let sourceBudgets = Lock<[String: SourceBudget]>([:])

  /// Makes a relay on `loops`.
  public init(
    loops: [EventLoop], limits: RelayLimits, observer: any RelayObserver
  ) throws(Errno) {
    self.limits = limits
    let names: RelayLoop.NameSourceMaker = { loop throws(NamesError) in try Resolver(loop: loop) }
    budget = FlowBudget(capacity: limits.flows)
    var homes: [LoopBound<RelayLoop>] = []
    for loop in loops {
      let home = try RelayLoop(
        loop: loop, system: LinuxStreams(), observer: observer, budget: budget, limits: limits,
        names: names)
      homes.append(LoopBound(home, to: loop))
    }
    self.homes = homes
  }

  /// Flows there are.
  public var flowCount: Int { budget.count }

  /// Begins to accept for a tunnel. What comes back is closed with `close`.
  public func listen(
    at address: ListenAddress, for tunnel: StreamTunnel
  ) throws(ListenError) -> RelayListener {
    let sockets = try open(address, tunnel.settings)
    let listener = RelayListener(sockets: sockets, tunnelName: tunnel.name)
    let active = activate(tunnel)
    for set in sockets {
      let isShared = set.isShared
      for (home, number) in zip(homes, set.numbers) {
        let address = set.address
        home.perform { relay in
          let socket = StreamListener(
            Descriptor(adopting: number), at: address, isShared: isShared, tunnel: active,
            home: relay)
          relay.add(socket, of: ObjectIdentifier(listener))
        }
      }
    }
    return listener
  }

  private func activate(_ tunnel: StreamTunnel) -> ActiveTunnel {
    ActiveTunnel(tunnel, budget: flowBudget(of: tunnel.name, limit: tunnel.settings.flowLimit))
  }

  /// The budget of a tunnel's name, which counts the flows of its earlier forms too.
  func flowBudget(of name: String, limit: Int?) -> FlowBudget {
    let limit = limit ?? .max
    let budget = tunnelBudgets.withLock { budgets in
      if let known = budgets[name] { return known }
      let new = FlowBudget(capacity: limit)
      budgets[name] = new
      return new
    }
    budget.capacity = limit
    return budget
  }

  private func open(
    _ address: ListenAddress, _ settings: StreamSettings
  ) throws(ListenError) -> [ListenSockets] {
    switch address {
    case .address(let address):
      [try .open(address, count: homes.count, settings: settings)]
    case .everyAddress(let port):
      try ListenSockets.openEverywhere(port: port, count: homes.count, settings: settings)
    case .inherited(let number):
      [try .adopt(number, count: homes.count, settings: settings)]
    }
  }

  /// Gives new flows of a listener another tunnel; flows there are keep theirs, and the listener
  /// keeps the options that accepted sockets inherit from it.
  public func update(_ listener: RelayListener, to tunnel: StreamTunnel) {
    let active = activate(tunnel)
    let identity = ObjectIdentifier(listener)
    for home in homes { home.perform { $0.update(identity, to: active) } }
  }

  /// Stops accepting. Connections that wait in the queue become flows as far as the limits have
  /// room for them; flows there are live on.
  public func close(_ listener: RelayListener) {
    let identity = ObjectIdentifier(listener)
    for home in homes { home.perform { $0.closeListener(identity) } }
    for set in listener.sockets { set.removeFile() }
  }

  /// Calls `body`, on any thread, when there is no flow (any more).
  public func notifyWhenIdle(_ body: @escaping @Sendable () -> Void) {
    // After what was asked of the loops before, such as taking what waits in a queue.
    let remaining = Lock(homes.count)
    for home in homes {
      home.perform { [budget] _ in
        let isLast = remaining.withLock { count in
          count -= 1
          return count == 0
        }
        if isLast { budget.notifyWhenIdle(body) }
      }
    }
  }

  /// Resets every flow.
  public func abortFlows() {
    for home in homes { home.perform { $0.abortAll() } }
  }

  /// Closes every listener and resets every flow; the relay is of no more use.
  public func shutDown() {
    for home in homes { home.perform { $0.shutDown() } }
  }

  /// Gathers the counters of all loops and delivers them on one of them.
  public func counters(_ deliver: @escaping @Sendable (RelayCounters) -> Void) {
    let sum = Lock((RelayCounters(), homes.count))
    for home in homes {
      home.perform { relay in
        let (counters, remaining) = sum.withLock { sum in
          sum.0 += relay.presentCounters()
          sum.1 -= 1
          return sum
        }
        if remaining == 0 { deliver(counters) }
      }
    }
  }
}

/// A listener of a relay: one address, or all.
public final class RelayListener: Sendable {
  let sockets: [ListenSockets]
  let datagramSockets: [DatagramSockets]
  /// The tunnel it was opened for.
  public let tunnelName: String

  init(
    sockets: [ListenSockets] = [], datagramSockets: [DatagramSockets] = [], tunnelName: String
  ) {
    self.sockets = sockets
    self.datagramSockets = datagramSockets
    self.tunnelName = tunnelName
  }

  /// The addresses in force, with the ports that the kernel chose.
  public var addresses: [SocketAddress] {
    sockets.map(\.address) + datagramSockets.map(\.address)
  }
}
