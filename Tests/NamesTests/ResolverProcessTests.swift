import Foundation
import Kernel
import Reactor
import TestSupport
import Testing

@testable import Names

/// What needs a process of its own: its environment, its descriptors.
@Suite struct ResolverProcessTests {
  static let hostsText = """
    # a comment
    10.0.0.5  db.test database
    10.0.0.6  db.test
    2001:db8::5 six.test # another
    0.0.0.0 blocked.test
    """

  typealias This = ResolverProcessTests

  /// Runs `body` with a resolver that reads a hosts file of the test's; DNS knows every name.
  static func withHosts(_ body: (ResolverRig) throws -> Void) throws {
    let hosts = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try hostsText.write(to: hosts, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(at: hosts) }
    TestEnvironment.set("CARES_HOSTS", hosts.path)
    let rig = try ResolverRig(change: { $0.readsHostsVariable = true }) { _, family in
      .addresses([family == .v4 ? .v4(0xc000_0201) : .v6(7, 7, scope: 0)], seconds: 60)
    }
    try body(rig)
  }

  @Test func theHostsFileSpeaksForBothFamilies() async {
    await #expect(processExitsWith: .success) {
      try This.withHosts { rig in
        let answers = rig.ask("db.test")
        #expect(answers[.v4] == .addresses([.v4(0x0a00_0005), .v4(0x0a00_0006)]))
        #expect(answers[.v6] == .failure(.noAddress))
        #expect(rig.ask("DATABASE")[.v4] == .addresses([.v4(0x0a00_0005)]))
        let six = rig.ask("six.test")
        #expect(six[.v6] == .addresses([.v6(0x2001_0db8_0000_0000, 5, scope: 0)]))
        #expect(six[.v4] == .failure(.noAddress))
        try rig.settle()
        #expect(rig.server.questions.isEmpty)
      }
    }
  }

  @Test func aNameThatIsBlockedInTheHostsFileIsNotAskedFor() async {
    await #expect(processExitsWith: .success) {
      try This.withHosts { rig in
        let answers = rig.ask("blocked.test")
        #expect(answers[.v4] == .failure(.noAddress))
        #expect(answers[.v6] == .failure(.noAddress))
        #expect(rig.server.questions.isEmpty)
      }
    }
  }

  @Test func aNameThatIsNotInTheHostsFileIsAskedFor() async {
    await #expect(processExitsWith: .success) {
      try This.withHosts { rig in
        let answers = try rig.answers(to: "web.test")
        #expect(answers[.v4] == .addresses([.v4(0xc000_0201)]))
      }
    }
  }

  @Test func theHostsVariableIsNotReadUnlessAskedFor() async {
    await #expect(processExitsWith: .success) {
      try This.withHosts { _ in
        let rig = try ResolverRig { _, _ in ScriptedServer.noName }
        let answers = try rig.answers(to: "db.test")
        #expect(answers[.v4] == .failure(.notFound))
      }
    }
  }

  @Test func resolvingLeavesNoDescriptor() async {
    await #expect(processExitsWith: .success) {
      let rig = try ResolverRig { name, family in
        if name.hasPrefix("t") { return .truncated([.v4(1)]) }
        return name.hasPrefix("n") ? ScriptedServer.noName : .addresses([.v4(1)], seconds: 60)
      }
      let growth = DescriptorGrowth()
      for round in 0..<20 {
        for prefix in ["a", "n", "t"] { _ = try rig.answers(to: "\(prefix)\(round).test") }
      }
      try rig.settle()
      #expect(growth.isAbout(0))
    }
  }

  @Test func atTheDescriptorLimitTheFailureSaysSo() async {
    await #expect(processExitsWith: .success) {
      let rig = try ResolverRig { _, _ in .addresses([.v4(1)], seconds: 60) }
      DescriptorLimit.lower(to: 512)
      var held: [Int32] = []
      while let descriptor = try? Descriptor.quiet() { held.append(descriptor.release()) }
      let refused = rig.ask("web.test")
      #expect(refused[.v4] == .failure(.outOfResources(.tooManyOpenFiles)))
      for number in held { _ = Descriptor(adopting: number) }
      rig.clock.advance(by: .seconds(1))
      try rig.settle()
      let answers = try rig.answers(to: "web.test")
      #expect(answers[.v4] == .addresses([.v4(1)]))
    }
  }
}
