import Configuration
import Testing

@testable import AditCommands

/// The difference between two configurations.
@Suite struct ReloadPlanTests {
  private func tunnel(
    _ name: String, _ listen: [String], to target: String = "a.example:80"
  ) throws -> TunnelConfiguration {
    TunnelConfiguration(
      name: name, listen: try listen.map { try ListenSpecification($0) },
      targets: try TargetSpecification.list(target))
  }

  private func texts(_ assignments: [ReloadPlan.Assignment]) -> [String] {
    assignments.map { "\($0.tunnel.name) \($0.key.listen)" }
  }

  @Test("The same configuration changes nothing")
  func nothingChanges() throws {
    let tunnels = [try tunnel("a", ["1", "0", "0"]), try tunnel("b", ["unix:/x", "fd:web"])]
    let plan = ReloadPlan(from: tunnels, to: tunnels)
    #expect(plan.opened.isEmpty)
    #expect(plan.updated.isEmpty)
    #expect(plan.closed.isEmpty)
    #expect(plan.summary == "2 unchanged")
  }

  @Test("The order of tunnels and listeners does not matter")
  func orderIsNoChange() throws {
    let first = try tunnel("a", ["1", "2"])
    let second = try tunnel("b", ["3"])
    let turned = try tunnel("a", ["2", "1"])
    let plan = ReloadPlan(from: [first, second], to: [second, turned])
    #expect(plan.opened.isEmpty)
    #expect(plan.updated.isEmpty)
    #expect(plan.closed.isEmpty)
  }

  @Test("A new target keeps the listener and reaches new flows")
  func newTarget() throws {
    let plan = ReloadPlan(
      from: [try tunnel("a", ["1", "2"]), try tunnel("b", ["3"])],
      to: [try tunnel("a", ["1", "2"], to: "b.example:80"), try tunnel("b", ["3"])])
    #expect(plan.opened.isEmpty)
    #expect(plan.closed.isEmpty)
    #expect(texts(plan.updated) == ["a 127.0.0.1:1", "a 127.0.0.1:2"])
    #expect(plan.summary == "1 changed (a), 1 unchanged")
  }

  @Test("What comes is opened and what goes is closed, the rest stays")
  func comesAndGoes() throws {
    let plan = ReloadPlan(
      from: [try tunnel("a", ["1", "2"]), try tunnel("b", ["3"])],
      to: [try tunnel("a", ["2", "4"]), try tunnel("c", ["5"])])
    #expect(texts(plan.opened) == ["a 127.0.0.1:4", "c 127.0.0.1:5"])
    #expect(plan.closed.map(\.listen.description) == ["127.0.0.1:1", "127.0.0.1:3"])
    #expect(plan.updated.isEmpty)
    #expect(plan.summary == "1 added (c), 1 changed (a), 1 removed (b)")
  }

  @Test("A listener whose tunnel is renamed stays open for the new name")
  func renamed() throws {
    let plan = ReloadPlan(from: [try tunnel("a", ["1"])], to: [try tunnel("b", ["1"])])
    #expect(plan.opened.isEmpty)
    #expect(plan.closed.isEmpty)
    #expect(texts(plan.updated) == ["b 127.0.0.1:1"])
  }

  @Test("Free ports belong to their tunnel and are counted")
  func freePorts() throws {
    let plan = ReloadPlan(
      from: [try tunnel("a", ["0", "0"]), try tunnel("b", ["0"])],
      to: [try tunnel("a", ["0", "0", "0"])])
    #expect(texts(plan.opened) == ["a 127.0.0.1:0"])
    #expect(plan.closed.map(\.tunnel) == ["b"])
  }

  @Test("Settings that a listener has from its opening are told")
  func boundSettings() throws {
    let old = try tunnel("a", ["1", "2"])
    var new = old
    new.keepalive = nil
    let plan = ReloadPlan(from: [old], to: [new])
    #expect(plan.bound == ["a"])
    #expect(texts(plan.updated) == ["a 127.0.0.1:1", "a 127.0.0.1:2"])
  }

  @Test(
    "A new listener that overlaps with an open one is an error that names both",
    arguments: [
      ("any:80", "127.0.0.1:80", true), ("127.0.0.1:80", "0.0.0.0:80", true),
      ("localhost:80", "[::1]:80", true), ("[::]:80", "127.0.0.1:80", false),
      ("any:80", "127.0.0.1:81", false), ("127.0.0.1:80", "127.0.0.2:80", false),
      ("any:0", "127.0.0.1:0", false), ("unix:/a", "unix:/b", false),
    ])
  func overlaps(open: String, new: String, isOverlap: Bool) throws {
    let listen = try ListenSpecification(new)
    let error = ReloadPlan.overlap(of: listen, with: [try tunnel("a", [open])])
    #expect((error != nil) == isOverlap)
    if isOverlap {
      #expect(
        error == .overlap(listen.description, open: open, tunnel: "a"))
    }
  }
}
