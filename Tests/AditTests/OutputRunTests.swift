import Foundation
import Glibc
import Kernel
import TestSupport
import Testing

/// What the running program writes, and how it stands limits.
@Suite struct OutputRunTests {
  private let server: BlockingSocket

  init() throws {
    server = try BlockingSocket.listening()
  }

  private func object(_ line: String) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
  }

  @Test("With --json every line of both streams is an object")
  func jsonEverywhere() throws {
    let adit = try RunningAdit([
      "forward", "0", try server.target, "--json", "--log-level", "debug",
    ])
    let line = try object(try adit.process.errorLine(containing: "\"event\":\"listening\""))
    #expect(line["transport"] as? String == "tcp")
    #expect(line["target"] as? [String] == [try server.target])
    let client = try BlockingSocket.connected(
      to: try address(try #require(line["address"] as? String)))
    let accepted = try server.accept()
    #expect(try carries(client, accepted, "x"))
    try client.endStream()
    try accepted.endStream()
    let flow = try object(try adit.process.outputLine(containing: "completed"))
    #expect(flow["bytes-up"] as? Int == 1)
    #expect(flow["bytes-down"] as? Int == 2)
    #expect(try adit.end() == 0)
    for line in adit.process.errorText.split(separator: "\n") {
      #expect(throws: Never.self) { try object(String(line)) }
    }
    let wrong = try RunningAdit(["forward", "0", "--json"])
    #expect(try wrong.process.exitCode() == 2)
    #expect(try object(wrong.process.errorText)["code"] as? String == "word-missing")
  }

  @Test("At level debug the steps of a flow are told with its name, and at warning nothing is")
  func levels() throws {
    let adit = try RunningAdit(["forward", "0", try server.target, "--log-level", "debug"])
    let client = try adit.connect()
    let accepted = try server.accept()
    let (from, to) = (try client.address, try server.address)
    try adit.process.errorLine { $0 == "forward/1 accepted from \(from)" }
    try adit.process.errorLine { $0 == "forward/1 connecting to \(to)" }
    try adit.process.errorLine { $0 == "forward/1 connected to \(to)" }
    try client.endStream()
    try adit.process.errorLine(containing: "forward/1 half-closed by the client")
    try accepted.endStream()
    #expect(client.receive().end == .endOfStream)
    #expect(try adit.end() == 0)
    let folder = try TemporaryFolder()
    let quiet = try RunningAdit([
      "forward", "unix:\(folder.file("a"))", try server.target, "--log-level", "warning",
    ])
    quiet.process.send(SIGTERM)
    _ = try quiet.process.exitCode()
    #expect(quiet.process.errorText == "")
  }

  @Test("A target that nobody listens at is a reset for the client and a word in the log")
  func unreachable() throws {
    let folder = try TemporaryFolder()
    let adit = try RunningAdit(["forward", "0", "unix:\(folder.file("nobody"))"])
    do {
      #expect(try adit.connect().receive().end == .reset)
    } catch let error as Errno {
      // The reset was there before the test had looked at its connection.
      #expect(error == .connectionReset)
    }
    let line = try adit.process.outputLine(containing: " target-unreachable ")
    #expect(line.contains(" - - 0 0 "))
    #expect(line.hasSuffix("error=\"No such file or directory (ENOENT)\""))
  }

  @Test("--log off writes no flow")
  func logOff() throws {
    let adit = try RunningAdit(["forward", "0", try server.target, "--log", "off"])
    let client = try adit.connect()
    let accepted = try server.accept()
    try client.endStream()
    try accepted.endStream()
    #expect(client.receive().end == .endOfStream)
    #expect(try adit.end() == 0)
    #expect(adit.process.outputText == "")
  }

  @Test("A terminal gets a hint for loopback listeners and a live line")
  func terminal() throws {
    let adit = try RunningAdit(["forward", "0", try server.target], terminal: true)
    let line = try adit.process.errorLine(containing: "(this machine only; any:")
    let place = try address(String(line.split(separator: " ")[2]))
    let client = try BlockingSocket.connected(to: place)
    let accepted = try server.accept()
    #expect(try carries(client, accepted, "x"))
    try adit.process.errorPart("1 flows  up ")
    // The live line makes room for the next one.
    adit.process.send(SIGHUP)
    try adit.process.errorPart("\r\u{1b}[Kwarning: nothing to reload")
    try client.endStream()
    try accepted.endStream()
    #expect(try adit.end() == 0)
    // Nothing of it is left: the text ends with a line end, or with what clears the line.
    #expect([0x0a, 0x4b].contains(adit.process.errorText.utf8.last))
  }

  @Test("At the descriptor limit clients wait, flows go on, the log is short, and it recovers")
  func descriptorLimit() throws {
    let adit = try RunningAdit(after: "ulimit -n 60", ["forward", "0", try server.target])
    try adit.process.errorLine(containing: "(descriptor limit 60)")
    let place = try adit.listening()
    let first = try BlockingSocket.connected(to: place)
    let firstAccepted = try server.accept()
    var crowd = try (0..<100).map { _ in try BlockingSocket.connected(to: place) }
    try adit.process.errorLine(containing: "accepting at \(place) waits")
    #expect(try carries(first, firstAccepted, "still here"))
    crowd.removeAll()
    // Those of the crowd that were let in are gone; whoever comes now is served.
    let last = try BlockingSocket.connected(to: place)
    try last.send("last")
    var reached = false
    while !reached, server.hasInput(within: 20_000) {
      reached = try server.accept().receive(limit: 4).text == "last"
    }
    #expect(reached)
    #expect(try carries(first, firstAccepted, "still"))
    #expect(adit.process.errorText.split(separator: "\n").count < 10)
  }
}
