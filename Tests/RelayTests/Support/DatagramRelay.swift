import Kernel
import Reactor
import TestSupport

@testable import Relay

/// A datagram relay on threads of its own, from a free port to a socket of the test's.
final class DatagramRelay {
  let group: LoopGroup
  let relay: PortRelay
  let witness = Witness()
  let listener: RelayListener

  init(
    loops: Int = 1, settings: DatagramSettings = DatagramSettings(),
    at address: ListenAddress = .address(.ip(.loopback4, port: 0)),
    to targets: [RelayTarget], flows: Int? = nil
  ) throws {
    SignalSource.ignoreBrokenPipe()
    group = try LoopGroup(count: loops, name: "relay")
    var limits = RelayLimits(descriptorLimit: 4000, openDescriptors: 10, loops: loops, listeners: 1)
    if let flows { limits.flows = flows }
    relay = try PortRelay(loops: group.loops, limits: limits, observer: witness)
    listener = try relay.listen(
      at: address, for: DatagramTunnel(name: "real", targets: targets, settings: settings))
  }

  var address: SocketAddress { listener.addresses[0] }
  var port: UInt16 { listener.addresses[0].port ?? 0 }

  /// What every loop has counted, after all that it was asked before.
  func counters() -> RelayCounters {
    let done = Signal()
    let found = Lock(RelayCounters())
    relay.counters { counters in
      found.withLock { $0 = counters }
      done.send()
    }
    done.wait()
    return found.withLock { $0 }
  }

  /// Asks until a refusal has been counted.
  func waitForRefusal() throws {
    let end = Instant.now() + .seconds(20)
    while counters().datagrams.errorsCleared == 0 {
      guard Instant.now() < end else { throw Errno.timedOut }
    }
  }

  deinit {
    relay.close(listener)
    relay.shutDown()
    group.shutDown()
  }
}

/// A datagram relay on a loop that the test turns, with a clock that the test moves.
final class ManualDatagrams {
  let time = Lock(Instant(nanoseconds: 1_000_000_000))
  let loop: EventLoop
  let home: RelayLoop
  let witness = Witness()
  let names = ScriptedNames()
  let service: DatagramService
  let address: SocketAddress
  let budget: FlowBudget
  let sources = SourceBudget()

  init(
    to targets: [RelayTarget], settings: DatagramSettings = DatagramSettings(), flows: Int = 10,
    observer: (any RelayObserver)? = nil
  ) throws {
    SignalSource.ignoreBrokenPipe()
    loop = try EventLoop(clock: { [time] in time.withLock { $0 } })
    budget = FlowBudget(capacity: flows)
    home = try RelayLoop(
      loop: loop, system: LinuxStreams(), observer: observer ?? witness, budget: budget,
      limits: RelayLimits(descriptorLimit: 100, openDescriptors: 10, loops: 1, listeners: 1),
      names: { [names] _ in names })
    let sockets = try DatagramSockets.open(
      .ip(.loopback4, port: 0), count: 1, settings: settings)
    address = sockets.address
    let tunnel = ActiveDatagramTunnel(
      DatagramTunnel(name: "manual", targets: targets, settings: settings),
      budget: FlowBudget(capacity: settings.flowLimit ?? .max), sources: sources)
    let identity = ObjectIdentifier(time)
    service = DatagramService(identity, tunnel: tunnel, home: home)
    home.add(service, of: identity)
    service.add(Descriptor(adopting: sockets.numbers[0]), at: address)
  }

  deinit {
    home.shutDown()
    loop.end()
  }

  var counters: DatagramCounters { home.counters.datagrams }

  /// Does what is due.
  func turn() throws { try loop.turn(waitAtMost: .milliseconds(20)) }

  /// Turns until `condition` holds, a thousand times at most.
  func turn(until condition: () -> Bool) throws {
    for _ in 0..<1000 {
      if condition() { return }
      try turn()
    }
    throw Errno.timedOut
  }

  /// Lets time pass and timers fire.
  func pass(_ duration: Duration) throws {
    time.withLock { $0 = $0 + duration }
    try loop.turn(waitAtMost: .zero)
  }
}
