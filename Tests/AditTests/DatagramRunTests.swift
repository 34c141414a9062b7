import Foundation
import Kernel
import TestSupport
import Testing

/// `adit forward` with UDP, from the start to the end.
@Suite struct DatagramRunTests {
  private func listening(_ adit: RunningAdit) throws -> SocketAddress {
    let line = try adit.process.errorLine(containing: "listening udp ")
    return try address(String(line.split(separator: " ")[2]))
  }

  private func ask(
    _ text: String, _ client: DatagramPeer, _ server: DatagramPeer, at address: SocketAddress
  ) throws {
    try client.send(text, to: address)
    let (asked, session) = try server.receiveText()
    #expect(asked == text)
    try server.send(text + "!", to: session)
    let (answer, source) = try client.receiveText()
    #expect(answer == text + "!")
    #expect(source == address)
  }

  @Test("Datagrams go both ways, and a silent session stands in the access log")
  func carries() throws {
    let server = try DatagramPeer()
    let target = try server.address
    let adit = try RunningAdit(["forward", "0/udp", "udp://\(target)", "--idle", "100ms"])
    let client = try DatagramPeer()
    let place = try listening(adit)
    try ask("hello", client, server, at: place)
    let words = try adit.process.outputLine(containing: " idle").split(separator: " ")
    #expect(words.count == 11)
    #expect(words[1] == "forward/1")
    #expect(words[2] == "\(try client.address)")
    #expect(words[3] == "\(place)")
    #expect(words[5] == "\(target)")
    #expect(words[6...7] == ["5", "6"])
    #expect(words[10] == "protocol=udp")
    #expect(try adit.end() == 0)
  }

  @Test("The wildcard answers from the address that was asked, in both families")
  func wildcard() throws {
    let server = try DatagramPeer()
    let adit = try RunningAdit(["forward", "udp://any:0", "\(try server.address)"])
    let port = try #require(try listening(adit).port)
    try ask("four", DatagramPeer(), server, at: .ip(.v4(0x7f00_0002), port: port))
    if (try? listening(adit)) != nil {
      let client = try DatagramPeer(at: .ip(.loopback6, port: 0))
      try ask("six", client, server, at: .ip(.loopback6, port: port))
    }
    // Nothing of the sessions keeps a program that is told twice to end.
    adit.process.send(SIGTERM)
    _ = try adit.process.errorLine(containing: "draining 2 flows")
    #expect(try adit.end() == 0)
  }

  @Test("A reload gives new sessions the new target, and running ones keep theirs")
  func reload() throws {
    let folder = try TemporaryFolder()
    let servers = try (0..<2).map { _ in try DatagramPeer() }
    func write(_ server: DatagramPeer, _ port: UInt16) throws {
      try folder.write(
        "[[tunnel]]\nname = 'dns'\nlisten = '\(port)/udp'\ntarget = '\(try server.address)'\n",
        to: "t.toml")
    }
    // A port that is free now; nothing else in this process takes one meanwhile.
    let port = try #require(try DatagramPeer().address.port)
    try write(servers[0], port)
    let adit = try RunningAdit(["forward", "--config", folder.file("t.toml")])
    let place = try listening(adit)
    let old = try DatagramPeer()
    try ask("old", old, servers[0], at: place)
    try write(servers[1], port)
    adit.process.send(SIGHUP)
    _ = try adit.process.errorLine(containing: "reloaded ")
    try ask("new", DatagramPeer(), servers[1], at: place)
    try ask("old again", old, servers[0], at: place)
    adit.process.send(SIGTERM)
    _ = try adit.process.errorLine(containing: "draining 2 flows")
    #expect(try adit.end() == 0)
  }
}
