import Kernel
import Reactor
import TestSupport
import Testing

@testable import Relay

/// The data path over real sockets, on a loop that the test turns itself.
@Suite(.enabled(if: Allocations.areCounted), .serialized) struct AllocationTests {
  @Test("A small exchange allocates nothing")
  func smallExchanges() throws {
    let bench = try LoopBench()
    let message = [UInt8](repeating: 1, count: 512)
    let exchange = {
      try bench.client.send(message)
      try bench.server.take(512, bench.turn)
      try bench.server.send(message)
      try bench.client.take(512, bench.turn)
    }
    for _ in 0..<100 { try exchange() }
    let count = try Allocations.during { for _ in 0..<1000 { try exchange() } }
    #expect(count == 0)
  }

  @Test("Bulk transfer allocates nothing")
  func bulk() throws {
    let bench = try LoopBench()
    let block = [UInt8](repeating: 2, count: 100_000)
    let push = {
      try bench.client.send(block)
      try bench.server.take(block.count, bench.turn)
    }
    for _ in 0..<50 { try push() }
    let count = try Allocations.during { for _ in 0..<200 { try push() } }
    #expect(count == 0)
    #expect(bench.home.flows[0].mode(from: .client) == .splicing)
  }
}

/// A relay loop over the real kernel without a thread of its own.
private final class LoopBench {
  let loop: EventLoop
  let home: RelayLoop
  let client: BlockingSocket
  let server: BlockingSocket
  private let listener: StreamListener

  init() throws {
    SignalSource.ignoreBrokenPipe()
    loop = try EventLoop()
    let budget = FlowBudget(capacity: 10)
    home = try RelayLoop(
      loop: loop, system: LinuxStreams(), observer: Silence(), budget: budget,
      limits: RelayLimits(descriptorLimit: 100, openDescriptors: 10, loops: 1, listeners: 1),
      names: { _ in ScriptedNames() })
    let target = try BlockingSocket.listening()
    let tunnel = StreamTunnel(name: "test", targets: [.address(try target.address)])
    let sockets = try ListenSockets.open(
      .ip(.loopback4, port: 0), count: 1, settings: tunnel.settings)
    listener = StreamListener(
      Descriptor(adopting: sockets.numbers[0]), at: sockets.address, isShared: false,
      tunnel: ActiveTunnel(tunnel, budget: FlowBudget(capacity: 10)), home: home)
    listener.open()
    client = try .connected(to: sockets.address)
    while !target.hasInput() { try loop.turn(waitAtMost: .seconds(1)) }
    server = try target.accept()
  }

  func turn() throws {
    try loop.turn(waitAtMost: .seconds(5))
  }

  deinit {
    listener.close()
    home.shutDown()
  }
}

private final class Silence: RelayObserver {
  let wantsEvents = false
  let wantsRecords = false
  func happened(_ event: FlowEvent) {}
  func ended(_ record: FlowRecord) {}
  func warned(_ warning: RelayWarning) {}
}
