import Kernel
import Reactor
import Testing

@testable import Names

/// What the resolver remembers, for how long, and what it does when the servers do not work.
@Suite struct ResolverMemoryTests {
  static let first4 = IPAddress.v4(0xc000_0201)
  static let second4 = IPAddress.v4(0xc000_0202)
  static let first6 = IPAddress.v6(0x2001_0db8_0000_0000, 7, scope: 0)

  typealias This = ResolverMemoryTests

  static func both(seconds: UInt32) -> (String, AddressFamily) -> ScriptedServer.Answer {
    { _, family in .addresses([family == .v4 ? first4 : first6], seconds: seconds) }
  }

  // MARK: Lives

  @Test func anAnswerHoldsForItsLifeAndNotLonger() throws {
    let rig = try ResolverRig(This.both(seconds: 30))
    _ = try rig.answers(to: "web.test")
    rig.clock.advance(by: .seconds(20))
    try rig.settle()
    let remembered = rig.ask("web.test")
    #expect(remembered.isComplete)
    #expect(rig.server.questions.count == 2)
    rig.clock.advance(by: .seconds(11))
    try rig.settle()
    let asked = rig.ask("web.test")
    #expect(!asked.isComplete)
    try rig.run { asked.isComplete }
    #expect(rig.server.questions.count == 4)
    #expect(rig.resolver.counters.fromMemory == 2)
    #expect(rig.resolver.counters.queries == 4)
  }

  /// RFC 2181 §8: a life with its highest bit set counts as none.
  @Test(
    arguments: [(0, 5), (1, 1), (86_400, 3600), (UInt32.max, 5)] as [(UInt32, Int64)])
  func aLifeIsHeldWithinItsLimits(given: UInt32, held: Int64) throws {
    let rig = try ResolverRig(This.both(seconds: given))
    _ = try rig.answers(to: "web.test")
    rig.clock.advance(by: .milliseconds(held * 1000 - 1))
    try rig.loop.turn(waitAtMost: .zero)
    #expect(rig.ask("web.test").isComplete)
    rig.clock.advance(by: .milliseconds(1))
    try rig.loop.turn(waitAtMost: .zero)
    #expect(!rig.ask("web.test").isComplete)
  }

  @Test func familiesExpireOnTheirOwn() throws {
    let rig = try ResolverRig { _, family in
      .addresses([family == .v4 ? This.first4 : This.first6], seconds: family == .v4 ? 60 : 10)
    }
    _ = try rig.answers(to: "web.test")
    rig.clock.advance(by: .seconds(11))
    try rig.settle()
    let answers = rig.ask("web.test")
    #expect(answers[.v4] == .addresses([This.first4]))
    #expect(answers[.v6] == nil)
    try rig.run { answers.isComplete }
    #expect(rig.server.questions.sorted() == ["A web.test", "AAAA web.test", "AAAA web.test"])
  }

  @Test func aMissingNameIsRememberedForFiveSeconds() throws {
    let rig = try ResolverRig { _, _ in ScriptedServer.noName }
    _ = try rig.answers(to: "web.test")
    rig.clock.advance(by: .seconds(4))
    try rig.settle()
    #expect(rig.ask("web.test")[.v4] == .failure(.notFound))
    rig.clock.advance(by: .seconds(2))
    rig.server.script = This.both(seconds: 60)
    try rig.settle()
    #expect(try rig.answers(to: "web.test")[.v4] == .addresses([This.first4]))
  }

  @Test func anOutageIsRememberedForOneSecond() throws {
    let rig = try ResolverRig { _, _ in .code(2) }
    _ = try rig.answers(to: "web.test")
    let questions = rig.server.questions.count
    #expect(rig.ask("web.test")[.v4] == .failure(.serverFailure))
    rig.clock.advance(by: .seconds(1))
    rig.server.script = This.both(seconds: 60)
    try rig.settle()
    #expect(try rig.answers(to: "web.test")[.v4] == .addresses([This.first4]))
    #expect(rig.server.questions.count == questions + 2)
  }

  // MARK: Forgetting

  @Test func aForgottenNameIsAskedForAgainButNotWithinASecond() throws {
    let rig = try ResolverRig(This.both(seconds: 60))
    _ = try rig.answers(to: "web.test")
    rig.server.script = { _, family in
      family == .v4 ? .addresses([This.second4], seconds: 60) : ScriptedServer.noRecord
    }
    rig.resolver.forget("WEB.test")
    #expect(rig.ask("web.test")[.v4] == .addresses([This.first4]))
    rig.clock.advance(by: .seconds(1))
    try rig.settle()
    let renewed = try rig.answers(to: "web.test")
    #expect(renewed[.v4] == .addresses([This.second4]))
    #expect(renewed[.v6] == .failure(.noAddress))
  }

  @Test func forgettingWhatIsNotKnownDoesNothing() throws {
    let rig = try ResolverRig(This.both(seconds: 60))
    for name in ["web.test", "192.0.2.1", "localhost", ""] { rig.resolver.forget(name) }
    #expect(try rig.answers(to: "web.test")[.v4] == .addresses([This.first4]))
  }

  // MARK: Sharing and limits

  @Test func allWhoWaitForANameShareItsQuestions() throws {
    let rig = try ResolverRig(This.both(seconds: 60))
    let all = (0..<100).map { _ in rig.ask("web.test") }
    try rig.run { all.allSatisfy(\.isComplete) }
    #expect(rig.server.questions.sorted() == ["A web.test", "AAAA web.test"])
    #expect(all.allSatisfy { $0[.v6] == .addresses([This.first6]) })
  }

  @Test func theNameLongestUnusedMakesRoom() throws {
    let rig = try ResolverRig(change: { $0.capacity = 2 }, This.both(seconds: 60))
    for name in ["a.test", "b.test", "a.test"] {
      _ = try rig.answers(to: name)
      rig.clock.advance(by: .milliseconds(1))
      try rig.settle()
    }
    _ = try rig.answers(to: "c.test")
    #expect(rig.ask("a.test").isComplete)
    #expect(rig.ask("c.test").isComplete)
    #expect(!rig.ask("b.test").isComplete)
    #expect(rig.resolver.counters.evictions == 1)
  }

  @Test func moreNamesThanTheLimitAreRefused() throws {
    let rig = try ResolverRig(change: { $0.lookupLimit = 1 }) { _, _ in .silence }
    let first = rig.ask("a.test")
    let refused = rig.ask("b.test")
    let shared = rig.ask("a.test")
    #expect(refused[.v6] == .failure(.outOfResources(nil)))
    #expect(refused[.v4] == .failure(.outOfResources(nil)))
    #expect(first.list.isEmpty)
    #expect(shared.list.isEmpty)
    #expect(rig.resolver.counters.refusals == 1)
  }

  @Test func moreWaitersThanTheLimitAreRefusedUntilOthersAreAnswered() throws {
    let rig = try ResolverRig(change: { $0.waiterLimit = 2 }, This.both(seconds: 1))
    let waiting = [rig.ask("a.test"), rig.ask("a.test")]
    #expect(rig.ask("a.test")[.v4] == .failure(.outOfResources(nil)))
    try rig.run { waiting.allSatisfy(\.isComplete) }
    #expect(try rig.answers(to: "b.test")[.v4] == .addresses([This.first4]))
  }

  // MARK: Outages

  @Test func anExpiredAnswerIsUsedWhileDNSIsDown() throws {
    let rig = try ResolverRig(This.both(seconds: 10))
    _ = try rig.answers(to: "web.test")
    rig.clock.advance(by: .seconds(11))
    rig.server.script = { _, _ in .code(2) }
    try rig.settle()
    let answers = try rig.answers(to: "web.test")
    #expect(answers[.v4] == .stale([This.first4], .serverFailure))
    #expect(answers[.v6] == .stale([This.first6], .serverFailure))
    #expect(rig.resolver.counters.stale == 2)
  }

  @Test func anExpiredAnswerIsUsedWhenNobodyAnswersInTime() throws {
    let rig = try ResolverRig(
      clockRuns: true, change: { $0.queryTimeout = .milliseconds(60) }, This.both(seconds: 10))
    _ = try rig.answers(to: "web.test")
    rig.clock.advance(by: .seconds(11))
    rig.server.script = { _, _ in .silence }
    try rig.settle()
    #expect(try rig.answers(to: "web.test")[.v4] == .stale([This.first4], .timedOut))
  }

  @Test func duringAnOutageTheExpiredAnswerComesAtOnceAndDNSIsTriedAgain() throws {
    let rig = try ResolverRig(This.both(seconds: 10))
    _ = try rig.answers(to: "web.test")
    rig.clock.advance(by: .seconds(11))
    rig.server.script = { _, _ in .code(2) }
    try rig.settle()
    _ = try rig.answers(to: "web.test")
    rig.server.script = { _, family in
      .addresses([family == .v4 ? This.second4 : This.first6], seconds: 10)
    }
    let questions = rig.server.questions.count
    #expect(rig.ask("web.test")[.v4] == .stale([This.first4], .serverFailure))
    try rig.settle()
    #expect(rig.server.questions.count == questions)
    rig.clock.advance(by: .seconds(2))
    try rig.loop.turn(waitAtMost: .zero)
    #expect(rig.ask("web.test")[.v4] == .stale([This.first4], .serverFailure))
    try rig.run { rig.server.questions.count == questions + 2 }
    try rig.settle()
    #expect(rig.ask("web.test")[.v4] == .addresses([This.second4]))
  }

  @Test func anOutageLongPastIsNotBelieved() throws {
    let rig = try ResolverRig(This.both(seconds: 10))
    _ = try rig.answers(to: "web.test")
    rig.clock.advance(by: .seconds(11))
    rig.server.script = { _, _ in .code(2) }
    try rig.settle()
    _ = try rig.answers(to: "web.test")
    rig.clock.advance(by: .seconds(60))
    rig.server.script = This.both(seconds: 10)
    try rig.settle()
    #expect(try rig.answers(to: "web.test")[.v4] == .addresses([This.first4]))
  }

  @Test func anAnswerExpiredForAnHourIsNotUsedAnyMore() throws {
    let rig = try ResolverRig(This.both(seconds: 10))
    _ = try rig.answers(to: "web.test")
    rig.clock.advance(by: .seconds(10 + 3600))
    rig.server.script = { _, _ in .code(2) }
    try rig.settle()
    #expect(try rig.answers(to: "web.test")[.v4] == .failure(.serverFailure))
  }

  @Test func aNameThatWasTakenAwayIsNotKeptAliveByAnOutage() throws {
    let rig = try ResolverRig(This.both(seconds: 10))
    _ = try rig.answers(to: "web.test")
    rig.clock.advance(by: .seconds(11))
    rig.server.script = { _, _ in ScriptedServer.noName }
    try rig.settle()
    #expect(try rig.answers(to: "web.test")[.v4] == .failure(.notFound))
    rig.clock.advance(by: .seconds(6))
    rig.server.script = { _, _ in .code(2) }
    try rig.settle()
    #expect(try rig.answers(to: "web.test")[.v4] == .failure(.serverFailure))
  }
}
