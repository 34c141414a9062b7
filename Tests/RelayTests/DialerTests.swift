import Kernel
import Names
import Reactor
import Testing

@testable import Relay

/// Reaching a target: in order, by name, in time.
@Suite struct DialerTests {
  private let first = RelayTarget.address(.ip(.loopback4, port: 1))
  private let second = RelayTarget.address(.ip(.loopback4, port: 2))
  private let named = RelayTarget.name("host.test", port: 3)
  private let six = IPAddress.v6(1, 1, scope: 0)
  private let four = IPAddress.v4(0x0a00_0001)

  private func refuse(_ flow: StreamFlow) {
    flow.dialer?.latestAttempt?.handle([.error, .hungUp], tag: 0)
  }

  @Test("The second target is tried when the first refuses")
  func triesTheNext() throws {
    let bench = try RelayBench(targets: [first, second])
    let (flow, client) = try bench.acceptedFlow()
    #expect(flow.dialer?.latestAttempt?.address.port == 1)
    refuse(flow)
    #expect(flow.dialer?.latestAttempt?.address.port == 2)
    flow.dialer?.latestAttempt?.handle([.writable], tag: 0)
    #expect(flow.target.peer.port == 2)
    #expect(client.fate == nil)
  }

  @Test("A target that speaks at once is heard: its bytes come with the connection")
  func hearsAnEarlyTarget() throws {
    let bench = try RelayBench()
    let (flow, client) = try bench.acceptedFlow()
    let target = bench.streams.socket(try #require(bench.streams.opened.last))
    target.peerSends([1, 2, 3])
    flow.dialer?.latestAttempt?.handle([.writable, .readable], tag: 0)
    #expect(client.peerReads(10) == [1, 2, 3])
  }

  @Test("A target that does not answer leaves the others their part of the time")
  func sharesTheTime() throws {
    let bench = try RelayBench(targets: [first, second])
    let (flow, client) = try bench.acceptedFlow()
    try bench.pass(.milliseconds(5_100))
    #expect(flow.dialer?.latestAttempt?.address.port == 2)
    try bench.pass(.milliseconds(4_800))
    #expect(client.fate == nil)
    try bench.pass(.milliseconds(200))
    #expect(client.fate == .reset)
    #expect(bench.witness.records.map(\.end) == [.targetUnreachable(.timedOut)])
    #expect(bench.loop.population.timers == 0)
  }

  @Test("A name's addresses are raced, and the loser is closed")
  func racesAName() throws {
    let bench = try RelayBench(targets: [named])
    let (flow, _) = try bench.acceptedFlow()
    #expect(bench.names.asked == ["host.test"])
    bench.names.answer(FamilyAnswer(.v6, .addresses([six])))
    bench.names.answer(FamilyAnswer(.v4, .addresses([four])))
    #expect(flow.dialer?.latestAttempt?.address == .ip(six, port: 3))
    try bench.pass(.milliseconds(251))
    #expect(flow.dialer?.latestAttempt?.address == .ip(four, port: 3))
    flow.dialer?.latestAttempt?.handle([.writable], tag: 0)
    #expect(flow.target.peer == .ip(four, port: 3))
    #expect(bench.streams.socket(bench.streams.opened[0]).fate == .closed)
    #expect(bench.loop.population.registrations == 2)
  }

  @Test("An address without a route fails at once, and the next keeps its own time")
  func goesOnAfterAnImmediateFailure() throws {
    let bench = try RelayBench(targets: [named, first])
    bench.names.answers = [
      FamilyAnswer(.v6, .addresses([six])), FamilyAnswer(.v4, .failure(.noAddress)),
    ]
    bench.streams.connectErrors = [.addressNotAvailable]
    let (flow, client) = try bench.acceptedFlow()
    #expect(flow.dialer?.latestAttempt?.address.port == 1)
    // A wake-up of the race that is over must not end the attempt that follows it.
    try bench.pass(.seconds(9))
    #expect(client.fate == nil)
    flow.dialer?.latestAttempt?.handle([.writable], tag: 0)
    #expect(flow.target.peer.port == 1)
  }

  @Test("An answer from the cache connects at once")
  func connectsFromTheCache() throws {
    let bench = try RelayBench(targets: [named])
    bench.names.answers = [
      FamilyAnswer(.v6, .failure(.noAddress)), FamilyAnswer(.v4, .addresses([four])),
    ]
    let (flow, _) = try bench.acceptedFlow()
    flow.dialer?.latestAttempt?.handle([.writable], tag: 0)
    #expect(flow.target.peer == .ip(four, port: 3))
  }

  @Test("A name that led nowhere is forgotten, and the next target is tried")
  func forgetsAName() throws {
    let bench = try RelayBench(targets: [named, second])
    bench.names.answers = [
      FamilyAnswer(.v6, .failure(.noAddress)), FamilyAnswer(.v4, .addresses([four])),
    ]
    let (flow, _) = try bench.acceptedFlow()
    refuse(flow)
    #expect(bench.names.forgotten == ["host.test"])
    #expect(flow.dialer?.latestAttempt?.address.port == 2)
  }

  @Test("A name that does not exist is a reset that says so")
  func refusesAnUnknownName() throws {
    let bench = try RelayBench(targets: [named])
    bench.names.answers = [
      FamilyAnswer(.v6, .failure(.notFound)), FamilyAnswer(.v4, .failure(.notFound)),
    ]
    let descriptor = try bench.streams.makeSocket()
    let client = bench.streams.socket(descriptor.number)
    #expect(bench.budget.take() && bench.tunnel.budget.take())
    bench.home.begin(
      Accepted(descriptor, from: .ip(.loopback4, port: 1)), for: bench.tunnel, at: nil)
    #expect(client.fate == .reset)
    #expect(
      bench.witness.records.map(\.end) == [
        .targetUnreachable(.nameNotFound("host.test: the name does not exist"))
      ])
  }

  @Test("A client that leaves takes the question and the attempts back")
  func takesEverythingBack() throws {
    let bench = try RelayBench(targets: [named])
    let (flow, _) = try bench.acceptedFlow()
    bench.names.answer(FamilyAnswer(.v6, .addresses([six])))
    flow.handle([.error, .hungUp, .readable], tag: StreamFlow.Tag.client)
    #expect(bench.names.cancelled == 1)
    #expect(bench.loop.population == (registrations: 0, timers: 0))
    bench.names.answer(FamilyAnswer(.v4, .addresses([four])))
    #expect(bench.streams.opened.count == 1)
  }

  @Test(
    "Every error of every call ends one flow and nothing else",
    arguments: [
      Errno.tooManyOpenFiles, .outOfMemory, .addressNotAvailable,
    ])
  func survivesErrors(error: Errno) throws {
    let bench = try RelayBench(targets: [first, second])
    bench.streams.connectErrors = [error]
    let (flow, client) = try bench.acceptedFlow()
    #expect(flow.dialer?.latestAttempt?.address.port == 2)
    #expect(client.fate == nil)
  }
}
