import Kernel
import TestSupport
import Testing

@testable import Relay

/// What a session opens and who may come to it, on a loop that the test turns.
@Suite struct FTPGatewayTests {
  /// A relay, and a session of which the greeting has been read.
  private final class Session {
    let relay: ManualRelay
    private(set) var client: BlockingSocket?
    private(set) var server: BlockingSocket?

    init(_ settings: FTPSettings = FTPSettings(), flows: Int = 10) throws {
      relay = try ManualRelay(flows: flows, ftp: settings)
      client = try BlockingSocket.connected(to: relay.address)
      server = try relay.acceptedByServer()
      try server?.send("220 ready\r\n")
      try hears(client, "220 ready")
    }

    /// Turns until a peer has been told a line, which is this one.
    func hears(_ peer: BlockingSocket?, _ line: String) throws {
      #expect(try told(peer) == line)
    }

    func told(_ peer: BlockingSocket?) throws -> String {
      let peer = try #require(peer)
      var line: [UInt8] = []
      while line.last != 0x0a {
        try relay.turn { peer.hasInput() }
        let byte = peer.receive(1)
        if byte.isEmpty { break }
        line += byte
      }
      return String(decoding: line.dropLast(2), as: UTF8.self)
    }

    /// Sets up a passive connection to a port of the server: where the client is to go.
    func passive(to port: UInt16) throws -> SocketAddress {
      try client?.send("EPSV\r\n")
      try hears(server, "EPSV")
      try server?.send("229 (|||\(port)|)\r\n")
      let opened = try told(client).split(separator: "|").dropFirst().first
      return .ip(.loopback4, port: try #require(opened.flatMap { UInt16($0) }))
    }

    func resetClient() {
      client?.resetOnClose()
      client = nil
    }

    func resetServer() {
      server?.resetOnClose()
      server = nil
    }
  }

  private func refuses(_ place: SocketAddress) -> Bool {
    (try? BlockingSocket.connected(to: place)) == nil
  }

  @Test("A data connection is a flow between the client and the server's port")
  func dataConnection() throws {
    let session = try Session()
    let data = try BlockingSocket.listening()
    let place = try session.passive(to: try #require(data.address.port))
    #expect(session.relay.home.budget.count == 2)
    let client = try BlockingSocket.connected(to: place)
    try session.relay.turn { data.hasInput() }
    let server = try data.accept()
    try client.send("bytes")
    try session.relay.turn { server.hasInput() }
    #expect(server.receive(limit: 5).text == "bytes")
    #expect(session.relay.home.flows.map(\.tunnel.traffic) == [.ftpData])
    #expect(refuses(place))
  }

  @Test("A listener that nobody comes to is closed when its time is over, and counted")
  func expiry() throws {
    var settings = FTPSettings()
    settings.listenerLife = .milliseconds(20)
    let session = try Session(settings)
    let place = try session.passive(to: 50_000)
    try session.relay.turn { session.relay.home.counters.ftpExpired == 1 }
    #expect(session.relay.home.budget.count == 1)
    #expect(refuses(place))
  }

  @Test("A refused transfer, another set-up and the session's end close the listener")
  func closing() throws {
    let session = try Session()
    let first = try session.passive(to: 50_000)
    let second = try session.passive(to: 50_001)
    #expect(refuses(first))
    try session.client?.send("RETR a\r\n")
    try session.hears(session.server, "RETR a")
    try session.server?.send("550 no\r\n")
    try session.hears(session.client, "550 no")
    #expect(refuses(second))
    let third = try session.passive(to: 50_002)
    session.resetClient()
    try session.relay.turn { !session.relay.witness.records.isEmpty }
    #expect(refuses(third))
    #expect(session.relay.home.budget.count == 0)
    #expect(session.relay.witness.records.map(\.end) == [.clientReset])
    #expect(session.relay.witness.records.map(\.traffic) == [.ftp])
  }

  @Test("Without a place for its flow, no listener is opened")
  func noPlace() throws {
    let session = try Session(flows: 1)
    try session.client?.send("EPSV\r\n")
    try session.hears(session.server, "EPSV")
    try session.server?.send("229 (|||50000|)\r\n")
    try session.hears(session.client, "425 No data port is free.")
    #expect(session.relay.home.presentCounters().ftpNoPort == 1)
  }

  @Test("A server that resets the control connection is a reset for the client")
  func serverReset() throws {
    let session = try Session()
    session.resetServer()
    #expect(try session.relay.end() == .targetReset)
    #expect(session.client?.receive(limit: 1).end == .reset)
  }

  @Test("A stop resets the session and its data connections")
  func stop() throws {
    let session = try Session()
    let data = try BlockingSocket.listening()
    let place = try session.passive(to: try #require(data.address.port))
    let client = try BlockingSocket.connected(to: place)
    try session.relay.turn { data.hasInput() }
    let server = try data.accept()
    session.relay.home.abortAll()
    for socket in [client, server, session.client, session.server] {
      #expect(socket?.receive(limit: 1).end == .reset)
    }
    #expect(session.relay.home.budget.count == 0)
    #expect(session.relay.home.controls.isEmpty && session.relay.home.flows.isEmpty)
  }
}
