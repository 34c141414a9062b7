import Testing

@testable import AditCommands

/// What a service manager passes.
@Suite struct ServiceTests {
  private func sockets(_ pid: String?, _ count: String?, _ names: String?) -> InheritedSockets {
    InheritedSockets(processIdentifier: 42, pid: pid, count: count, names: names)
  }

  @Test("Sockets have the names given, and those without one are unknown")
  func namesSockets() {
    let sockets = sockets("42", "4", "web::web")
    #expect(sockets.entries.map(\.name) == ["web", "unknown", "web", "unknown"])
    #expect(sockets.entries.map(\.number) == [3, 4, 5, 6])
    #expect(sockets.numbers(named: "web") == [3, 5])
    #expect(sockets.numbers(named: "4") == [4])
    #expect(sockets.numbers(named: "mail") == [])
    #expect(sockets.numbers(named: "7") == [])
  }

  @Test("A socket that is called like a number is meant by its name")
  func prefersNames() {
    #expect(sockets("42", "2", "web:3").numbers(named: "3") == [4])
  }

  @Test(
    "Nothing is taken that is meant for another process or makes no sense",
    arguments: [
      ("41", "1"), (nil, "1"), ("42", nil), ("42", "0"), ("42", "-1"), ("42", "x"),
      ("x", "1"), ("42", "99999999"),
    ] as [(String?, String?)])
  func ignores(pid: String?, count: String?) {
    #expect(sockets(pid, count, "web").entries.isEmpty)
  }

  @Test("Without a service manager, or with one that cannot be understood, nothing is told")
  func tellsNobody() {
    for socket in [nil, "", "@", "relative", String(repeating: "/", count: 200)] as [String?] {
      #expect(throws: Never.self) { try ServiceState(socket: socket).ready(status: "") }
    }
  }
}
