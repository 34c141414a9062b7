import Kernel
import Reactor
import Testing

@testable import Relay

/// The runner over a simulated kernel.
@Suite struct StreamFlowTests {
  @Test("Bytes, an end of stream and a close pass in both directions")
  func passesEverythingOn() throws {
    let bench = try RelayBench()
    let (flow, client, target) = try bench.connectedFlow()
    client.peerSends([1, 2, 3])
    client.peerEnds()
    try bench.settle(flow, client, target)
    #expect(target.peerReads(10) == [1, 2, 3])
    #expect(target.peerSees == .endOfStream)
    #expect(client.peerSees == .open)
    target.peerSends([4])
    target.peerEnds()
    try bench.settle(flow, client, target)
    #expect(client.peerReads(10) == [4])
    #expect(client.fate == .closed)
    #expect(target.fate == .closed)
    #expect(bench.witness.records.map(\.end) == [.completed])
    #expect(bench.witness.records.map(\.bytesUp) == [3])
    #expect(bench.witness.records.map(\.bytesDown) == [1])
  }

  @Test("An idle flow holds neither a buffer nor a pipe")
  func holdsNothingWhenIdle() throws {
    let bench = try RelayBench()
    let (flow, client, target) = try bench.connectedFlow()
    client.peerSends(Array(repeating: 7, count: 300_000))
    for _ in 0..<10 {
      try bench.settle(flow, client, target)
      _ = target.peerReads(.max)
    }
    #expect(bench.streams.splices > 0)
    #expect(bench.home.chunks.lent == 1, "only the scratch buffer is lent")
    #expect(flow.pipe(from: .client) == nil)
  }

  @Test("Without a pipe, bulk is copied")
  func copiesWithoutAPipe() throws {
    let bench = try RelayBench(pipes: 0)
    let (flow, client, target) = try bench.connectedFlow()
    let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0) }
    client.peerSends(bytes)
    var received: [UInt8] = []
    for _ in 0..<10 {
      try bench.settle(flow, client, target)
      received += target.peerReads(.max)
    }
    #expect(received == bytes)
    #expect(bench.streams.splices == 0)
    #expect(bench.home.counters.pipeRefusals > 0)
  }

  @Test("A socket that splice does not serve is copied for good")
  func copiesWhatCannotBeSpliced() throws {
    let bench = try RelayBench()
    bench.streams.supportsSplice = false
    let (flow, client, target) = try bench.connectedFlow()
    let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 3) }
    client.peerSends(bytes)
    var received: [UInt8] = []
    for _ in 0..<10 {
      try bench.settle(flow, client, target)
      received += target.peerReads(.max)
    }
    #expect(received == bytes)
    #expect(flow.mode(from: .client) == .copyingOnly)
  }

  @Test("With every buffer held by slow sinks, other flows go on and nothing is lost")
  func goesOnWithoutBuffers() throws {
    let bench = try RelayBench(buffers: 1, pipes: 0)
    bench.streams.capacity = 10
    let (slow, slowClient, slowTarget) = try bench.connectedFlow()
    slowClient.peerSends(Array(0..<40))
    try bench.settle(slow, slowClient, slowTarget)
    #expect(bench.home.chunks.lent == 2)
    let (quick, quickClient, quickTarget) = try bench.connectedFlow()
    quickClient.peerSends(Array(0..<40))
    var received: [UInt8] = []
    for _ in 0..<10 {
      try bench.settle(quick, quickClient, quickTarget)
      received += quickTarget.peerReads(7)
    }
    #expect(received == Array(0..<40))
    #expect(bench.home.counters.bufferRefusals > 0)
    var late: [UInt8] = []
    for _ in 0..<10 {
      late += slowTarget.peerReads(9)
      try bench.settle(slow, slowClient, slowTarget)
    }
    #expect(late == Array(0..<40))
  }

  @Test("A half-closed flow is reset after its limit, which every byte restarts")
  func reapsHalfClosedFlows() throws {
    var settings = StreamSettings()
    settings.halfClosedIdle = .seconds(10)
    let bench = try RelayBench(settings: settings)
    let (flow, client, target) = try bench.connectedFlow()
    client.peerEnds()
    try bench.settle(flow, client, target)
    try bench.pass(.seconds(9))
    target.peerSends([1])
    try bench.settle(flow, client, target)
    try bench.pass(.seconds(9))
    #expect(client.fate == nil)
    try bench.pass(.seconds(2))
    #expect(client.fate == .reset)
    #expect(target.fate == .reset)
    #expect(bench.witness.records.map(\.end) == [.halfClosedIdle])
  }

  @Test("An open flow is never reaped by default")
  func keepsOpenFlows() throws {
    let bench = try RelayBench()
    let (flow, client, target) = try bench.connectedFlow()
    client.peerSends([1])
    try bench.settle(flow, client, target)
    for _ in 0..<10 { try bench.pass(.seconds(100_000)) }
    #expect(client.fate == nil)
  }

  @Test("A reset whose bytes cannot be written waits no longer than reset-drain without progress")
  func boundsAStalledDelivery() throws {
    let bench = try RelayBench()
    bench.streams.capacity = 10
    let (flow, client, target) = try bench.connectedFlow()
    target.peerSends(Array(0..<40))
    try bench.settle(flow, client, target)
    target.peerResets()
    try bench.settle(flow, client, target)
    try bench.pass(.seconds(4))
    #expect(client.peerReads(5) == Array(0..<5))
    try bench.settle(flow, client, target)
    try bench.pass(.seconds(4))
    #expect(client.fate == nil, "a byte moved less than five seconds ago")
    try bench.pass(.seconds(2))
    #expect(client.fate == .reset)
    #expect(bench.witness.records.map(\.end) == [.targetReset])
  }

  @Test("A client that sent and reset while its target is dialled is carried, and then reset")
  func carriesWhatCameBeforeAnEarlyReset() throws {
    let bench = try RelayBench()
    let (flow, client) = try bench.acceptedFlow()
    client.peerSends([1, 2])
    client.peerResets()
    flow.handle([.readable, .error, .hungUp], tag: StreamFlow.Tag.client)
    #expect(flow.dialer != nil)
    let target = bench.streams.socket(try #require(bench.streams.opened.last))
    flow.dialer?.latestAttempt?.handle([.writable], tag: 0)
    #expect(target.peerReads(10) == [1, 2])
    try bench.pass(.milliseconds(10))
    #expect(target.fate == .reset)
  }

  @Test("A reset waits for its last bytes no longer than reset-drain")
  func boundsTheDelivery() throws {
    let bench = try RelayBench()
    let (flow, client, target) = try bench.connectedFlow()
    target.peerSends([1, 2])
    try bench.settle(flow, client, target)
    target.peerResets()
    try bench.settle(flow, client, target)
    #expect(client.fate == nil, "the client has not acknowledged the two bytes")
    try bench.pass(.seconds(6))
    #expect(client.fate == .reset)
    #expect(bench.witness.records.map(\.end) == [.targetReset])
  }

  @Test("With a reset-drain of zero a reset waits for nothing")
  func resetsAtOnce() throws {
    var settings = StreamSettings()
    settings.resetDrain = .zero
    let bench = try RelayBench(settings: settings)
    let (flow, client, target) = try bench.connectedFlow()
    target.peerSends([1, 2])
    try bench.settle(flow, client, target)
    target.peerResets()
    try bench.settle(flow, client, target)
    try bench.pass(.milliseconds(1))
    #expect(client.fate == .reset)
  }

  @Test("A target's reset destroys nothing of a complete answer that is still on its way")
  func deliversBeforeALateReset() throws {
    let bench = try RelayBench()
    let (flow, client, target) = try bench.connectedFlow()
    target.peerSends(Array(repeating: 5, count: 100_000))
    target.peerEnds()
    client.peerEnds()
    try bench.settle(flow, client, target)
    #expect(flow.machine.phase == .settling)
    target.peerResets()
    try bench.settle(flow, client, target)
    #expect(client.fate == nil)
  }

  @Test("A side that goes on after the other's end is cut off where half-close is off")
  func tellsTheCutOff() throws {
    var settings = StreamSettings()
    settings.passesHalfClose = false
    let bench = try RelayBench(settings: settings)
    let (flow, client, target) = try bench.connectedFlow()
    client.peerEnds()
    try bench.settle(flow, client, target)
    try bench.pass(.seconds(6))
    #expect(bench.witness.records.map(\.end) == [.cutOff])
  }

  @Test("A client that leaves before its target answers ends the attempt")
  func abandonsTheAttempt() throws {
    let bench = try RelayBench()
    let (flow, client) = try bench.acceptedFlow()
    client.peerResets()
    flow.handle([.readable, .error, .hungUp], tag: StreamFlow.Tag.client)
    #expect(bench.home.flows.isEmpty)
    #expect(bench.witness.records.map(\.end) == [.clientLeft])
    #expect(bench.loop.population.registrations == 0)
    #expect(bench.budget.count == 0)
  }

  @Test("A target that refuses is a reset for the client")
  func refuses() throws {
    let bench = try RelayBench()
    let (flow, client) = try bench.acceptedFlow()
    flow.dialer?.latestAttempt?.handle([.error, .hungUp], tag: 0)
    #expect(client.fate == .reset)
    #expect(
      bench.witness.records.map(\.end) == [.targetUnreachable(.system(.connectionRefused))])
    #expect(bench.home.flows.isEmpty)
  }

  @Test(
    "At the descriptor limit a flow ends with a reset and says why",
    arguments: [
      Errno.tooManyOpenFiles, .noBufferSpace,
    ])
  func endsWithoutDescriptors(error: Errno) throws {
    let bench = try RelayBench()
    bench.streams.openErrors = [error]
    let descriptor = try bench.streams.makeSocket()
    let client = bench.streams.socket(descriptor.number)
    #expect(bench.budget.take() && bench.tunnel.budget.take())
    bench.home.begin(
      Accepted(descriptor, from: .ip(.loopback4, port: 1)), for: bench.tunnel, at: nil)
    #expect(client.fate == .reset)
    #expect(bench.witness.records.map(\.end) == [.noResources(error)])
    #expect(bench.budget.count == 0)
  }
}
