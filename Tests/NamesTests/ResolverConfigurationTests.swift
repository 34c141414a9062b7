import Foundation
import Kernel
import Reactor
import Testing

@testable import Names

/// Search domains, changes of the configuration, and the hosts file.
@Suite struct ResolverConfigurationTests {
  static let some4 = IPAddress.v4(0xc000_0201)
  static let some6 = IPAddress.v6(0x2001_0db8_0000_0000, 7, scope: 0)

  typealias This = ResolverConfigurationTests

  // MARK: Search domains

  @Test func aShortNameIsSearchedFor() throws {
    let rig = try ResolverRig(configuration: "search one.test two.test\n") { name, family in
      guard name == "db.two.test" else { return ScriptedServer.noName }
      return .addresses([family == .v4 ? This.some4 : This.some6], seconds: 60)
    }
    let answers = try rig.answers(to: "db")
    #expect(answers[.v4] == .addresses([This.some4]))
    #expect(answers[.v6] == .addresses([This.some6]))
    #expect(rig.server.questions.first?.hasSuffix(" db.one.test") == true)
  }

  @Test func bothFamiliesComeFromTheSameDomain() throws {
    let rig = try ResolverRig(configuration: "search one.test two.test\n") { name, family in
      switch (name, family) {
      case ("db.one.test", .v4): .addresses([This.some4], seconds: 60)
      case ("db.one.test", .v6): ScriptedServer.noRecord
      case ("db.two.test", .v6): .addresses([This.some6], seconds: 60)
      default: ScriptedServer.noName
      }
    }
    let answers = try rig.answers(to: "db")
    #expect(answers[.v4] == .addresses([This.some4]))
    #expect(answers[.v6] == .failure(.noAddress))
  }

  @Test func aNameWithADotIsSearchedForOnlyWhenItDoesNotExist() throws {
    let rig = try ResolverRig(configuration: "search one.test\n") { name, family in
      switch (name, family) {
      case ("web.test", .v4), ("db.site.one.test", .v4): .addresses([This.some4], seconds: 60)
      case ("web.test", .v6): ScriptedServer.noRecord
      default: ScriptedServer.noName
      }
    }
    _ = try rig.answers(to: "web.test")
    #expect(rig.server.questions.sorted() == ["A web.test", "AAAA web.test"])
    #expect(try rig.answers(to: "db.site")[.v4] == .addresses([This.some4]))
  }

  @Test func aNameThatEndsWithADotIsNotSearchedFor() throws {
    let rig = try ResolverRig(configuration: "search one.test\n") { _, _ in ScriptedServer.noName }
    #expect(try rig.answers(to: "db.")[.v4] == .failure(.notFound))
    #expect(rig.server.questions.sorted() == ["A db", "AAAA db"])
  }

  // MARK: Changes

  @Test func aChangedConfigurationIsTakenOver() throws {
    let rig = try ResolverRig(configuration: "search one.test\n") { _, family in
      .addresses([family == .v4 ? This.some4 : This.some6], seconds: 3600)
    }
    _ = try rig.answers(to: "db")
    #expect(rig.server.questions.sorted() == ["A db.one.test", "AAAA db.one.test"])
    rig.server.questions = []
    try rig.configure("search second.test\n")
    #expect(rig.ask("db").isComplete)
    rig.clock.advance(by: .seconds(1))
    try rig.settle()
    _ = try rig.answers(to: "db")
    #expect(rig.server.questions.sorted() == ["A db.second.test", "AAAA db.second.test"])
    #expect(rig.resolver.counters.reconfigurations == 1)
  }

  @Test func whatIsOutIsAskedAgainOfTheNewServers() throws {
    let rig = try ResolverRig { _, _ in .silence }
    let waiting = rig.ask("web.test")
    try rig.run { rig.server.questions.count == 2 }
    rig.server.script = { _, family in
      .addresses([family == .v4 ? This.some4 : This.some6], seconds: 60)
    }
    try rig.configure("options ndots:2\n")
    rig.clock.advance(by: .seconds(1))
    try rig.settle()
    _ = rig.ask("other.test")
    try rig.run { waiting.isComplete }
    #expect(waiting[.v4] == .addresses([This.some4]))
  }

  @Test func anUnchangedConfigurationIsLeftAlone() throws {
    let rig = try ResolverRig { _, _ in .addresses([This.some4], seconds: 60) }
    for _ in 0..<3 {
      rig.clock.advance(by: .seconds(2))
      try rig.settle()
      _ = rig.ask("web.test")
    }
    #expect(rig.resolver.counters.reconfigurations == 0)
  }

  @Test func aMissingConfigurationIsNoError() throws {
    let rig = try ResolverRig(change: { $0.configurationPath = "/nonexistent/resolv.conf" }) {
      _, _ in .addresses([This.some4], seconds: 60)
    }
    #expect(try rig.answers(to: "web.test")[.v4] == .addresses([This.some4]))
  }
}
