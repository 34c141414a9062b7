import Glibc
import Kernel
import TestSupport
import Testing

/// `adit forward` with real sockets, from the start to the end.
@Suite struct ForwardRunTests {
  @Test("Bytes go both ways, ends of stream too, and the flow stands in the access log")
  func carriesBytes() throws {
    let server = try BlockingSocket.listening()
    let adit = try RunningAdit(["forward", "0", try server.target])
    let client = try adit.connect()
    let accepted = try server.accept()
    #expect(try carries(client, accepted, "hello"))
    try client.endStream()
    #expect(accepted.receive() == ("", .endOfStream))
    // The answer to a client that has finished asking arrives.
    try accepted.send("late answer")
    try accepted.endStream()
    #expect(client.receive() == ("late answer", .endOfStream))
    let line = try adit.process.outputLine(containing: " completed")
    let words = line.split(separator: " ")
    #expect(words.count == 10)
    #expect(words[1] == "forward/1")
    #expect(words[2] == "\(try client.address)")
    #expect(words[5] == "\(try server.address)")
    #expect(words[6...7] == ["5", "17"])
    #expect(try adit.end() == 0)
    // The flow's place may be given back a moment after its line: then a drain is told as well.
    #expect(
      adit.process.errorText.split(separator: "\n").map { $0.prefix(8) }.filter { $0 != "draining" }
        == ["flows at", "listenin"])
  }

  @Test("half-close = false ends both directions with one")
  func endsBoth() throws {
    let server = try BlockingSocket.listening()
    let adit = try RunningAdit(
      ["forward", "0", try server.target, "--half-close=false", "--reset-drain", "100ms"])
    let client = try adit.connect()
    let accepted = try server.accept()
    try client.endStream()
    #expect(accepted.receive() == ("", .endOfStream))
    #expect(client.receive().end != .open)
  }

  @Test("A wildcard tells both addresses with one port, and both carry")
  func wildcard() throws {
    let server = try BlockingSocket.listening()
    let adit = try RunningAdit(["forward", "any:0", try server.target])
    let first = try adit.listening()
    #expect(first == .ip(.any4, port: try #require(first.port)))
    let port = try #require(first.port)
    let client = try BlockingSocket.connected(to: .ip(.loopback4, port: port))
    #expect(try carries(client, try server.accept(), "four"))
    if let second = try? adit.listening() {
      #expect(second == .ip(.any6, port: port))
      let client = try BlockingSocket.connected(to: .ip(.loopback6, port: port))
      #expect(try carries(client, try server.accept(), "six"))
    }
  }

  @Test("Several tunnels carry at once, each to its own target, and to a target by name")
  func severalTunnels() throws {
    let (red, blue) = (try BlockingSocket.listening(), try BlockingSocket.listening())
    let bluePort = try #require(try blue.address.port)
    let adit = try RunningAdit([
      "forward", "-L", "0=\(try red.target)", "--name", "red",
      "-L", "localhost:0=127.0.0.1:\(bluePort)",
    ])
    let toRed = try adit.connect()
    #expect(try carries(toRed, try red.accept(), "red"))
    let toBlue = try adit.connect()
    #expect(try carries(toBlue, try blue.accept(), "blue"))
  }

  @Test("SIGTERM drains: nothing new comes in, and what is there goes on to its end")
  func drains() throws {
    let server = try BlockingSocket.listening()
    let adit = try RunningAdit(["forward", "0", try server.target])
    let place = try adit.listening()
    let client = try BlockingSocket.connected(to: place)
    let accepted = try server.accept()
    #expect(try carries(client, accepted, "before"))
    adit.process.send(SIGTERM)
    try adit.process.errorLine { $0 == "draining 1 flows; again to end now" }
    try untilRefused(place)
    #expect(try carries(client, accepted, "after"))
    try client.endStream()
    try accepted.endStream()
    #expect(client.receive().end == .endOfStream)
    #expect(try adit.process.exitCode() == 0)
    #expect(adit.process.outputText.contains(" completed\n"))
  }

  @Test("A second signal resets what is left and ends at once")
  func endsAtOnce() throws {
    let server = try BlockingSocket.listening()
    let adit = try RunningAdit(["forward", "0", try server.target])
    let client = try adit.connect()
    let accepted = try server.accept()
    #expect(try carries(client, accepted, "before"))
    adit.process.send(SIGINT)
    try adit.process.errorLine(containing: "draining 1 flows; again to end now")
    adit.process.send(SIGINT)
    #expect(try adit.process.exitCode() == 0)
    #expect(client.receive().end == .reset)
    #expect(accepted.receive().end == .reset)
    #expect(adit.process.outputText.contains(" stopped\n"))
  }

  @Test("Flows that do not end are reset when the drain time is over")
  func resetsLate() throws {
    let server = try BlockingSocket.listening()
    let adit = try RunningAdit(["forward", "0", try server.target, "--drain-timeout", "100ms"])
    let client = try adit.connect()
    let accepted = try server.accept()
    #expect(try carries(client, accepted, "before"))
    #expect(try adit.end() == 0)
    #expect(client.receive().end == .reset)
    #expect(accepted.receive().end == .reset)
    #expect(
      adit.process.errorText.contains("resetting 1 flows: they did not end within 100ms"))
  }

  @Test("An address that is taken is named, the exit code is 1 and nothing stays open")
  func bindConflict() throws {
    let taken = try BlockingSocket.listening()
    let folder = try TemporaryFolder()
    let place = try taken.target
    let adit = try RunningAdit([
      "forward", "-L", "unix:\(folder.file("a"))=\(place)", "-L", "\(place)=\(place)",
    ])
    #expect(try adit.process.exitCode() == 1)
    let text = adit.process.errorText
    #expect(text.contains("cannot listen on \(place): another program has it"))
    #expect(!text.contains("listening "))
    #expect(try FileStatus(of: folder.file("a")) == nil)
  }

  @Test("Wrong usage is told on standard error and exits with 2")
  func wrongUsage() throws {
    let adit = try RunningAdit(["forward", "0", "127.0.0.1:1", "--idel", "3s"])
    #expect(try adit.process.exitCode() == 2)
    #expect(
      adit.process.errorText
        == "adit forward: --idel is not an option; did you mean --idle?\n")
  }

  /// Connects until nobody listens any more.
  private func untilRefused(_ place: SocketAddress) throws {
    let deadline = Instant.now() + ChildProcess.patience
    while Instant.now() < deadline {
      do {
        _ = try BlockingSocket.connected(to: place)
      } catch let error as Errno {
        #expect(error == .connectionRefused)
        return
      }
    }
    Issue.record("somebody listens at \(place)")
  }
}
