import Foundation
import TestSupport
import Testing

/// FTP programs of other people through the gateway, and odd peers: `Tests/FTPClients`.
@Suite struct FTPClientTests {
  private static let python = "/usr/bin/python3"
  private static let havePython = havePythonServer()
  private static let haveAll = havePython && Programs.have("lftp") && Programs.have("wget")
  private static let scenarios = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "FTPClients/scenarios.py").path

  private static func havePythonServer() -> Bool {
    let probe = try? ChildProcess(python, ["-W", "ignore", "-c", "import pyftpdlib"])
    return (try? probe?.exitCode()) == 0
  }

  @Test(
    "Sessions of real and of odd peers come through the gateway", .enabled(if: havePython),
    arguments: [
      "curl", "python", "abor", "aborted_upload", "control_loss", "third_host", "bounce",
      "small_range", "urgent", "odd_server", "nobody_there", "split", "slow_transfer",
      "only_passive", "secured",
    ])
  func scenario(name: String) throws {
    try run(name)
  }

  @Test(
    "Clients that may be missing come through the gateway", .enabled(if: haveAll),
    arguments: ["wget", "lftp"])
  func client(name: String) throws {
    try run(name)
  }

  @Test(
    "vsftpd, which takes data from its control peer alone, is served",
    .enabled(if: havePython && Programs.have("vsftpd") && geteuid() == 0))
  func vsftpd() throws {
    try run("vsftpd")
  }

  private func run(_ name: String) throws {
    let process = try ChildProcess(Self.python, [Self.scenarios, try RunningAdit.program, name])
    #expect(try process.exitCode() == 0, "\(process.errorText)")
  }
}
