import Configuration
import Testing

@testable import AditCommands

/// `adit doctor` and `adit check`.
@Suite struct DiagnosisTests {
  private static let goodMachine: MachineFacts = {
    var facts = MachineFacts()
    facts.kernelRelease = "6.1.0-18-amd64"
    facts.descriptorsSoft = 1024
    facts.descriptorsHard = 524_288
    facts.pipeMaxSize = 1_048_576
    facts.pipeUserPagesSoft = 16_384
    facts.somaxconn = 4096
    facts.portRange = 32_768...60_999
    facts.unprivilegedPortStart = 1024
    facts.timeWaitReuse = 2
    facts.bindV6Only = 0
    facts.hasIPv6 = true
    facts.nameServers = 2
    return facts
  }()

  private func verdict(
    of what: String, _ change: (inout MachineFacts) -> Void
  ) -> Diagnosis.Verdict? {
    var facts = Self.goodMachine
    change(&facts)
    return Diagnosis(facts).findings.first { $0.what == what }?.verdict
  }

  @Test("A good machine lacks nothing")
  func goodMachine() {
    let diagnosis = Diagnosis(Self.goodMachine)
    #expect(diagnosis.findings.allSatisfy { $0.verdict == .ok })
    #expect(diagnosis.exitCode == .done)
    #expect(
      diagnosis.text.hasPrefix("ok kernel: 6.1.0-18-amd64; all that tunnels need is there\n"))
  }

  @Test("What is missing is an error and what is small a warning")
  func verdicts() {
    #expect(verdict(of: "kernel") { $0.kernelRelease = "4.19.0" } == .missing)
    #expect(verdict(of: "kernel") { $0.kernelRelease = "5.9.16" } == .missing)
    #expect(verdict(of: "kernel") { $0.kernelRelease = "5.10.0" } == .ok)
    #expect(verdict(of: "kernel") { $0.kernelRelease = nil } == .warn)
    #expect(verdict(of: "open files") { $0.descriptorsHard = 1024 } == .warn)
    #expect(verdict(of: "pipe size") { $0.pipeMaxSize = 65_536 } == .warn)
    #expect(verdict(of: "pipe pages") { $0.pipeUserPagesSoft = 0 } == .ok)
    #expect(verdict(of: "pipe pages") { $0.pipeUserPagesSoft = 1024 } == .warn)
    #expect(verdict(of: "accept queue") { $0.somaxconn = 128 } == .warn)
    #expect(verdict(of: "local ports") { $0.portRange = 50_000...51_000 } == .warn)
    #expect(verdict(of: "port reuse") { $0.timeWaitReuse = 0 } == .warn)
    #expect(verdict(of: "IPv6") { $0.hasIPv6 = false } == .missing)
    #expect(verdict(of: "names") { $0.nameServers = nil } == .missing)
    #expect(verdict(of: "names") { $0.nameServers = 0 } == .warn)
  }

  @Test("A machine that says nothing is not diagnosed wrongly")
  func silentMachine() {
    let diagnosis = Diagnosis(MachineFacts())
    #expect(diagnosis.findings.allSatisfy { $0.what == "low ports" || $0.verdict != .ok })
    #expect(diagnosis.json.text.hasPrefix("{\"ok\":false,"))
  }

  @Test("A right file is counted")
  func rightFile() throws {
    let file = try ConfigurationFile.parse(
      """
      [[tunnel]]
      name = "a"
      listen = ["1", "2"]
      target = ["x:1,y:2", "z:3"]
      """, name: "f")
    let result = CheckResult("f.toml", .success(file))
    #expect(result.text == "ok f.toml: 1 tunnels, 2 listeners, 3 targets")
    #expect(
      result.json.text
        == "{\"file\":\"f.toml\",\"ok\":true,\"tunnels\":1,\"listeners\":2,\"targets\":3}")
    #expect(result.exitCode == .done)
  }

  @Test("A file that cannot be read is told as such")
  func unreadableFile() {
    let result = CheckResult(file: "/nonexistent/f.toml")
    #expect(
      result.text == "/nonexistent/f.toml: cannot be read: No such file or directory (ENOENT)")
    #expect(result.exitCode == .wrongUsage)
  }
}
