import Glibc
import Kernel
import Reactor
import Testing

@testable import Relay

/// What a flow takes of its loop's time and places, over a simulated kernel.
@Suite struct FlowAccountTests {
  @Test("A busy flow gets one share of each turn, however often it is reported ready")
  func takesOneShare() throws {
    let bench = try RelayBench(pipes: 0)
    bench.streams.capacity = 1_000_000_000
    let (flow, client, _) = try bench.connectedFlow()
    client.peerSends(Array(repeating: 7, count: 50_000_000))
    var shares: [UInt64] = []
    for _ in 0..<12 {
      let before = flow.machine.sentToTarget
      flow.handle(.readable, tag: StreamFlow.Tag.client)
      flow.handle(.writable, tag: StreamFlow.Tag.target)
      try bench.loop.turn(waitAtMost: .zero)
      shares.append(flow.machine.sentToTarget - before)
    }
    #expect(flow.machine.sentToTarget < 50_000_000, "the flow was busy all the time")
    #expect(shares[11] <= shares[1])
  }

  @Test("A client that cannot be watched at a wildcard address ends its flow and nothing else")
  func endsWhatCannotBeWatched() throws {
    let bench = try RelayBench()
    // The poller refuses this device (epoll_ctl(2), EPERM).
    let number = unsafe open("/dev/null", O_RDWR | O_CLOEXEC)
    bench.streams.sockets[number] = SimulatedSocket(capacity: 10)
    #expect(bench.budget.take() && bench.tunnel.budget.take())
    bench.home.begin(
      Accepted(Descriptor(adopting: number), from: .ip(.loopback4, port: 1)), for: bench.tunnel,
      at: nil)
    #expect(bench.witness.records.map(\.end) == [.noResources(Errno(rawValue: EPERM))])
  }

  @Test("The relay is idle only when the last flow has been told of")
  func tellsBeforeItIsIdle() throws {
    let bench = try RelayBench()
    let (flow, client, target) = try bench.connectedFlow()
    let told = Lock(-1)
    bench.budget.notifyWhenIdle { [witness = bench.witness] in
      let count = witness.records.count
      told.withLock { $0 = count }
    }
    client.peerEnds()
    target.peerEnds()
    try bench.settle(flow, client, target)
    #expect(told.withLock { $0 } == 1)
  }
}
