import Kernel
import Reactor
import Testing

@testable import Names

/// The resolver against a name server of the test's, on loopback.
@Suite struct ResolverTests {
  static let some4 = IPAddress.v4(0xc000_0201)
  static let other4 = IPAddress.v4(0xc000_0202)
  static let some6 = IPAddress.v6(0x2001_0db8_0000_0000, 7, scope: 0)
  static let other6 = IPAddress.v6(0x2001_0db8_0000_0000, 8, scope: 0)

  static func both(_ name: String, _ family: AddressFamily) -> ScriptedServer.Answer {
    .addresses(family == .v4 ? [some4, other4] : [some6], seconds: 60)
  }

  static func none(_ name: String, _ family: AddressFamily) -> ScriptedServer.Answer {
    ScriptedServer.noName
  }

  typealias This = ResolverTests

  // MARK: What needs no server

  @Test func anAddressAnswersItselfAndIsNotAskedFor() throws {
    let rig = try ResolverRig(This.both)
    let answers = rig.ask("192.0.2.9")
    #expect(answers[.v4] == .addresses([.v4(0xc000_0209)]))
    #expect(answers[.v6] == .failure(.noAddress))
    #expect(rig.ask("::1")[.v6] == .addresses([.loopback6]))
    try rig.settle()
    #expect(rig.server.questions.isEmpty)
  }

  @Test(arguments: ["localhost", "LocalHost", "localhost.", "web.localhost", "a.b.localhost."])
  func localhostIsThisMachineInBothFamilies(name: String) throws {
    let rig = try ResolverRig(This.none)
    let answers = rig.ask(name)
    #expect(answers[.v4] == .addresses([.loopback4]))
    #expect(answers[.v6] == .addresses([.loopback6]))
    try rig.settle()
    #expect(rig.server.questions.isEmpty)
  }

  @Test(arguments: [
    "", ".", "..", "a..b", ".a", "10.0.0.256", "127.1", "a b", "a\0b", "bücher.example", "[::1]",
    "a.\\046", String(repeating: "a", count: 64), String(repeating: "abcdefg.", count: 32) + "x",
  ])
  func whatIsNoNameIsNotAskedFor(name: String) throws {
    let rig = try ResolverRig(This.both)
    let answers = rig.ask(name)
    #expect(answers[.v4] == .failure(.badName))
    #expect(answers[.v6] == .failure(.badName))
    try rig.settle()
    #expect(rig.server.questions.isEmpty)
  }

  // MARK: Both families

  @Test func bothFamiliesAreAskedForAndTheirOrderIsKept() throws {
    let rig = try ResolverRig(This.both)
    let answers = try rig.answers(to: "Web.Test")
    #expect(answers[.v4] == .addresses([This.some4, This.other4]))
    #expect(answers[.v6] == .addresses([This.some6]))
    #expect(rig.server.questions.sorted() == ["A web.test", "AAAA web.test"])
  }

  @Test func aFamilyIsAnsweredWhileTheOtherIsAwaited() throws {
    let rig = try ResolverRig { name, family in
      family == .v4 ? This.both(name, family) : .silence
    }
    let answers = rig.ask("web.test")
    try rig.run { answers[.v4] != nil }
    #expect(answers[.v4] == .addresses([This.some4, This.other4]))
    #expect(answers[.v6] == nil)
  }

  @Test func aFamilyWithoutAddressSaysSo() throws {
    let rig = try ResolverRig { name, family in
      family == .v4 ? This.both(name, family) : ScriptedServer.noRecord
    }
    let answers = try rig.answers(to: "web.test")
    #expect(answers[.v6] == .failure(.noAddress))
    #expect(answers[.v4] == .addresses([This.some4, This.other4]))
  }

  @Test func anAliasIsFollowed() throws {
    let rig = try ResolverRig { _, family in
      .alias("real.test", family == .v4 ? [This.some4] : [This.some6], seconds: 60)
    }
    let answers = try rig.answers(to: "web.test")
    #expect(answers[.v4] == .addresses([This.some4]))
    #expect(answers[.v6] == .addresses([This.some6]))
  }

  @Test func anAliasThatLeadsNowhereHasNoAddress() throws {
    let rig = try ResolverRig { _, _ in .alias("real.test", [], seconds: 60) }
    let answers = try rig.answers(to: "web.test")
    #expect(answers[.v4] == .failure(.noAddress))
    #expect(answers[.v6] == .failure(.noAddress))
  }

  @Test func anAnswerThatDoesNotFitIsFetchedOverTCP() throws {
    let many = (0..<60).map { IPAddress.v4(0x0a00_0000 + $0) }
    let rig = try ResolverRig { _, family in
      family == .v4 ? .truncated(many) : ScriptedServer.noRecord
    }
    let answers = try rig.answers(to: "web.test")
    #expect(answers[.v4] == .addresses(many))
    #expect(rig.server.questions.contains("tcp A web.test"))
  }

  @Test func zeroesAreNoAddresses() throws {
    let rig = try ResolverRig { _, family in
      .addresses(family == .v4 ? [.any4, This.some4] : [.any6], seconds: 60)
    }
    let answers = try rig.answers(to: "blocked.test")
    #expect(answers[.v4] == .addresses([This.some4]))
    #expect(answers[.v6] == .failure(.noAddress))
  }

  // MARK: Failures

  @Test func aNameThatIsNotThereIsNotFound() throws {
    let rig = try ResolverRig(This.none)
    let answers = try rig.answers(to: "web.test")
    #expect(answers[.v4] == .failure(.notFound))
    #expect(answers[.v6] == .failure(.notFound))
  }

  @Test func aServersFailureIsNotAMissingName() throws {
    let rig = try ResolverRig { _, _ in .code(2) }
    let answers = try rig.answers(to: "web.test")
    #expect(answers[.v4] == .failure(.serverFailure))
    #expect(answers[.v6] == .failure(.serverFailure))
  }

  @Test func noAnswerIsATimeout() throws {
    let rig = try ResolverRig(clockRuns: true, change: { $0.queryTimeout = .milliseconds(60) }) {
      _, _ in
      .silence
    }
    let answers = try rig.answers(to: "web.test")
    #expect(answers[.v4] == .failure(.timedOut))
    #expect(answers[.v6] == .failure(.timedOut))
  }

  @Test func aServerThatIsNotThereIsAFailureAtOnce() throws {
    let rig = try ResolverRig(
      clockRuns: true,
      change: { settings in
        settings.servers = [.ip(.v4(0x7fff_fffe), port: 1)]
        settings.queryTimeout = .milliseconds(200)
      }
    ) { _, _ in .silence }
    let answers = try rig.answers(to: "web.test")
    for content in [answers[.v4], answers[.v6]] {
      let isOutage = content == .failure(.serverFailure) || content == .failure(.timedOut)
      #expect(isOutage)
    }
  }

  @Test func serversThatCannotBeAskedAreRefused() {
    #expect(throws: NamesError.badServers("unix:/x")) {
      _ = try ResolverRig(change: { $0.servers = [.unix(.path("/x"))] }, This.both)
    }
  }

  // MARK: Cancelling

  @Test func afterCancellingNobodyIsCalled() throws {
    let rig = try ResolverRig(This.both)
    let cancelled = rig.ask("web.test")
    cancelled.resolution?.cancel()
    let other = try rig.answers(to: "web.test")
    #expect(cancelled.list.isEmpty)
    #expect(other.isComplete)
  }

  @Test func cancellingFromACallbackKeepsTheOtherFamilyBack() throws {
    let rig = try ResolverRig(This.both)
    var calls = 0
    var resolution: Resolution?
    resolution = rig.resolver.resolve("web.test") { _ in
      calls += 1
      resolution?.cancel()
    }
    try rig.run { calls > 0 }
    try rig.settle()
    #expect(calls == 1)
  }

  @Test func shuttingDownCancelsEveryoneAndEveryLaterOne() throws {
    let rig = try ResolverRig { _, _ in .silence }
    let waiting = rig.ask("web.test")
    try rig.settle()
    rig.resolver.shutDown()
    #expect(waiting[.v4] == .failure(.cancelled))
    #expect(waiting[.v6] == .failure(.cancelled))
    #expect(rig.ask("other.test")[.v6] == .failure(.cancelled))
    #expect(rig.loop.population.timers == 0)
  }

  @Test func aCallbackMayResolveAnotherName() throws {
    let rig = try ResolverRig(This.both)
    let inner = Answers()
    rig.resolver.resolve("web.test") { answer in
      guard answer.family == .v4 else { return }
      rig.resolver.resolve("other.test") { inner.list.append($0) }
    }
    try rig.run { inner.isComplete }
    #expect(inner[.v6] == .addresses([This.some6]))
  }

  @Test func aResolverMayBeLetGoWhileItAsks() throws {
    let clock = MovableClock(runs: false)
    let loop = try EventLoop(clock: clock.now)
    let server = try ScriptedServer(on: loop) { _, _ in .silence }
    var settings = ResolverSettings()
    settings.servers = [server.address]
    let before = loop.population
    var resolver: Resolver? = try Resolver(loop: loop, settings: settings)
    resolver?.resolve("web.test") { _ in Issue.record("nobody is called") }
    for _ in 0..<4 { try loop.turn(waitAtMost: .milliseconds(5)) }
    #expect(loop.population.registrations > before.registrations)
    resolver = nil
    #expect(loop.population == before)
  }

  @Test func nothingIsLeftOnTheLoopWhenNothingIsAsked() throws {
    let rig = try ResolverRig(This.both)
    let before = rig.loop.population
    _ = try rig.answers(to: "web.test")
    #expect(rig.loop.population == before)
  }
}
