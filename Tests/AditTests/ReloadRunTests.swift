import Glibc
import TestSupport
import Testing

/// SIGHUP.
@Suite struct ReloadRunTests {
  private let folder: TemporaryFolder
  private let red: BlockingSocket
  private let blue: BlockingSocket
  /// The file's listeners are unix sockets, whose addresses a test can know in advance.
  private let file: String

  init() throws {
    folder = try TemporaryFolder()
    red = try BlockingSocket.listening()
    blue = try BlockingSocket.listening()
    file = folder.file("tunnels.toml")
  }

  private func write(_ tunnels: [(name: String, listen: String, to: BlockingSocket)]) throws {
    let texts = try tunnels.map { tunnel in
      """
      [[tunnel]]
      name = "\(tunnel.name)"
      listen = "\(tunnel.listen)"
      target = "\(try tunnel.to.target)"
      """
    }
    try folder.write(texts.joined(separator: "\n"), to: "tunnels.toml")
  }

  private func unix(_ name: String) -> String { "unix:\(folder.file(name))" }

  @Test("A changed target reaches new flows; the listener and the flow there is stay")
  func changesTarget() throws {
    try write([("web", "0", red)])
    let adit = try RunningAdit(["forward", "--config", file])
    let place = try adit.listening()
    let old = try BlockingSocket.connected(to: place)
    let oldAccepted = try red.accept()
    #expect(try carries(old, oldAccepted, "old"))
    try write([("web", "0", blue)])
    adit.process.send(SIGHUP)
    try adit.process.errorLine { $0 == "reloaded \(file): 1 changed (web)" }
    let new = try BlockingSocket.connected(to: place)
    #expect(try carries(new, try blue.accept(), "new"))
    #expect(try carries(old, oldAccepted, "still"))
  }

  @Test("What is new is opened; what is gone is closed, and its flows live on")
  func opensAndCloses() throws {
    try write([("one", unix("a"), red), ("two", unix("b"), red)])
    let adit = try RunningAdit(["forward", "--config", file])
    let old = try adit.connect()
    let oldAccepted = try red.accept()
    #expect(try carries(old, oldAccepted, "old"))
    try write([("two", unix("b"), red), ("three", unix("c"), blue)])
    adit.process.send(SIGHUP)
    let new = try adit.connectAfter("listening unix:\(folder.file("c"))")
    try adit.process.errorLine {
      $0 == "reloaded \(file): 1 added (three), 1 removed (one), 1 unchanged"
    }
    #expect(try carries(new, try blue.accept(), "new"))
    #expect(try carries(old, oldAccepted, "still"))
    #expect(throws: (any Error).self) {
      try BlockingSocket.connected(to: try address(unix("a")))
    }
  }

  @Test("A file with an error is told and changes nothing")
  func refusesWrongFile() throws {
    try write([("web", "0", red)])
    let adit = try RunningAdit(["forward", "--config", file])
    let place = try adit.listening()
    try folder.write("[[tunnel]]\nname = \"web\"\nlistn = \"0\"\n", to: "tunnels.toml")
    adit.process.send(SIGHUP)
    try adit.process.errorLine { $0.hasPrefix("\(file):3:1: tunnel: \"listn\" is not a key") }
    try adit.process.errorLine {
      $0 == "error: \(file) was not loaded; everything goes on as before"
    }
    let client = try BlockingSocket.connected(to: place)
    #expect(try carries(client, try red.accept(), "same"))
  }

  @Test("A listener that cannot be opened refuses the whole reload")
  func rollsBack() throws {
    try write([("web", unix("a"), red)])
    let adit = try RunningAdit(["forward", "--config", file])
    let place = try adit.listening()
    try write([("web", unix("a"), blue), ("new", unix("b"), blue), ("bad", try red.target, blue)])
    adit.process.send(SIGHUP)
    try adit.process.errorLine(containing: "cannot listen on \(try red.target)")
    try adit.process.errorLine(containing: "was not loaded")
    let client = try BlockingSocket.connected(to: place)
    #expect(try carries(client, try red.accept(), "same"))
    #expect(throws: (any Error).self) {
      try BlockingSocket.connected(to: try address(unix("b")))
    }
  }

  @Test("Without a file there is nothing to reload")
  func nothingToReload() throws {
    let adit = try RunningAdit(["forward", "0", try red.target])
    _ = try adit.listening()
    adit.process.send(SIGHUP)
    try adit.process.errorLine(containing: "nothing to reload")
    #expect(try adit.end() == 0)
  }
}

extension RunningAdit {
  /// A socket connected to the listener that is told with this beginning.
  func connectAfter(_ beginning: String) throws -> BlockingSocket {
    let line = try process.errorLine { $0.hasPrefix(beginning) }
    return try BlockingSocket.connected(to: try address(String(line.split(separator: " ")[1])))
  }
}
