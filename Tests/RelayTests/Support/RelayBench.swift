import Glibc
import Kernel
import Reactor
import Testing

@testable import Relay

/// Remembers what a relay tells.
final class Witness: RelayObserver {
  let wantsEvents = true
  let wantsRecords = true
  private struct State {
    var records: [FlowRecord] = []
    var warnings = 0
    var resumptions = 0
    var events = 0
    var threads: Set<UInt> = []
  }

  private let seen = Lock(State())

  var records: [FlowRecord] { seen.withLock { $0.records } }
  var resumptions: Int { seen.withLock { $0.resumptions } }
  /// The threads on which flows have ended.
  var threads: Set<UInt> { seen.withLock { $0.threads } }
  var warnings: Int { seen.withLock { $0.warnings } }

  func happened(_ event: FlowEvent) { seen.withLock { $0.events += 1 } }
  func ended(_ record: FlowRecord) {
    seen.withLock {
      $0.records.append(record)
      $0.threads.insert(pthread_self())
    }
  }

  func warned(_ warning: RelayWarning) {
    switch warning {
    case .acceptPaused: seen.withLock { $0.warnings += 1 }
    case .acceptResumed: seen.withLock { $0.resumptions += 1 }
    }
  }
}

/// One loop of a relay over a simulated kernel, with a clock that the test moves.
final class RelayBench {
  let streams: SimulatedStreams
  let witness = Witness()
  let names = ScriptedNames()
  let loop: EventLoop
  let home: RelayLoop
  let time: Lock<Instant>
  let tunnel: ActiveTunnel
  let budget: FlowBudget

  init(
    seed: UInt64 = 1, buffers: Int = 8, pipes: Int = 4, flows: Int = 10,
    settings: StreamSettings = StreamSettings(),
    targets: [RelayTarget] = [.address(.ip(.loopback4, port: 9))]
  ) throws {
    streams = SimulatedStreams(seed: seed)
    let time = Lock(Instant(nanoseconds: 1_000_000_000))
    self.time = time
    loop = try EventLoop(clock: { time.withLock { $0 } })
    var limits = RelayLimits(descriptorLimit: 1000, openDescriptors: 10, loops: 1, listeners: 1)
    limits.buffers = buffers
    limits.pipes = pipes
    budget = FlowBudget(capacity: flows)
    home = try RelayLoop(
      loop: loop, system: streams, observer: witness, budget: budget, limits: limits,
      names: { [names] _ in names })
    tunnel = ActiveTunnel(
      StreamTunnel(
        name: "test", targets: targets, settings: settings),
      budget: FlowBudget(capacity: .max))
  }

  deinit {
    home.shutDown()
    loop.end()
  }

  /// Begins a flow and lets its target answer.
  func connectedFlow() throws -> (
    flow: StreamFlow, client: SimulatedSocket, target: SimulatedSocket
  ) {
    let (flow, client) = try acceptedFlow()
    let target = streams.socket(try #require(streams.opened.last))
    flow.dialer?.latestAttempt?.handle([.writable], tag: 0)
    return (flow, client, target)
  }

  /// Begins a flow whose target has not answered yet.
  func acceptedFlow() throws -> (flow: StreamFlow, client: SimulatedSocket) {
    let descriptor = try streams.makeSocket()
    let client = streams.socket(descriptor.number)
    precondition(
      budget.take() && tunnel.budget.take(), "the test begins more flows than it allows")
    home.begin(
      Accepted(descriptor, from: .ip(.loopback4, port: 1)), for: tunnel,
      at: .ip(.loopback4, port: 3))
    return (try #require(home.flows.last), client)
  }

  /// Tells the flow what has become ready, until nothing is new.
  func settle(_ flow: StreamFlow, _ client: SimulatedSocket, _ target: SimulatedSocket) throws {
    var rounds = 0
    while !client.news.isEmpty || !target.news.isEmpty {
      tell(flow, client, StreamFlow.Tag.client)
      tell(flow, target, StreamFlow.Tag.target)
      try loop.turn(waitAtMost: .zero)
      rounds += 1
      precondition(rounds < 100_000, "the relay goes on for ever")
    }
    try loop.turn(waitAtMost: .zero)
  }

  private func tell(_ flow: StreamFlow, _ socket: SimulatedSocket, _ tag: UInt32) {
    guard !socket.news.isEmpty, socket.fate == nil else {
      socket.news = []
      return
    }
    let news = socket.news
    socket.news = []
    flow.handle(news, tag: tag)
  }

  /// Lets time pass and timers fire.
  func pass(_ duration: Duration) throws {
    time.withLock { $0 = $0 + duration }
    try loop.turn(waitAtMost: .zero)
  }
}
