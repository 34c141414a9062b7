import Kernel
import TestSupport
import Testing

@testable import Relay

/// How connections end, over real sockets: what a peer sends before it ends is never lost, and a
/// reset is never shown as an end of stream.
@Suite(.timeLimit(.minutes(2))) struct TeardownTests {
  private let much = [UInt8](repeating: 0x61, count: 200_000)

  @Test("A client that ends its stream first gets the whole answer")
  func clientEndsFirst() throws {
    let relay = try RealRelay()
    let (client, server) = try relay.pair()
    try client.send([1])
    try client.endStream()
    #expect(server.receiveAll() == ([1], .endOfStream))
    try server.send(much)
    try server.endStream()
    #expect(client.receiveAll() == (much, .endOfStream))
  }

  @Test("A server that ends its stream first gets the whole request")
  func serverEndsFirst() async throws {
    let relay = try RealRelay()
    let (client, server) = try relay.pair()
    try server.endStream()
    #expect(client.receiveAll() == ([], .endOfStream))
    try client.send(much)
    try client.endStream()
    #expect(server.receiveAll() == (much, .endOfStream))
  }

  @Test("A server's reset reaches the client after every byte before it")
  func serverResets() throws {
    let relay = try RealRelay()
    var (client, server): (BlockingSocket, BlockingSocket?) = try relay.pair()
    try server?.send(much)
    // What is on its way must have left the server's kernel: a reset destroys it there.
    #expect(client.receive(much.count).count == much.count)
    try server?.send([9])
    #expect(client.receive(1) == [9])
    server?.resetOnClose()
    server = nil
    #expect(client.receiveAll() == ([], .reset))
    client = server ?? client
  }

  @Test("A client's reset reaches the server")
  func clientResets() throws {
    let relay = try RealRelay()
    var (client, server): (BlockingSocket?, BlockingSocket) = try relay.pair()
    try client?.send([1, 2, 3])
    #expect(server.receive(3) == [1, 2, 3])
    client?.resetOnClose()
    client = nil
    #expect(server.receiveAll() == ([], .reset))
    server = client ?? server
  }

  @Test("A target that refuses is a reset for the client at once")
  func targetRefuses() throws {
    let relay = try RealRelay()
    let free = try BlockingSocket.listening().address
    let tunnel = StreamTunnel(name: "refused", targets: [.address(free)])
    let listener = try relay.relay.listen(at: .address(.ip(.loopback4, port: 0)), for: tunnel)
    #expect(try BlockingSocket.refusal(by: listener.addresses[0]) == .reset)
    relay.relay.close(listener)
  }

  @Test("Two megabytes sent and closed arrive at a client that reads late")
  func deliversAfterTheClose() throws {
    let relay = try RealRelay()
    let client = try BlockingSocket.connected(to: relay.address)
    // More than the window of a client that does not read; the send queues of the server and the
    // relay take the rest, 2.5 MB each on the loopback interface, so that the server can leave.
    let bytes = (0..<2_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    try client.endStream()
    do {
      let server = try relay.server.accept()
      #expect(server.receiveAll() == ([], .endOfStream))
      try server.send(bytes)
    }
    relay.waitForLoops()
    #expect(relay.relay.flowCount == 1, "the client has not taken everything, so the flow lives")
    let received = client.receiveAll()
    #expect(received.bytes == bytes)
    #expect(received.end == .endOfStream)
  }

  @Test("Without half-close, the end of one side ends the connection")
  func endsBothWithoutHalfClose() throws {
    var settings = StreamSettings()
    settings.passesHalfClose = false
    let relay = try RealRelay(settings: settings)
    let (client, server) = try relay.pair()
    try client.endStream()
    #expect(server.receiveAll() == ([], .endOfStream))
    #expect(client.receiveAll() == ([], .endOfStream))
  }

  @Test("TCP's urgent byte stays in the stream, also in bulk and at its end", arguments: 0..<20)
  func keepsUrgentBytes(round: Int) throws {
    let relay = try RealRelay()
    let (client, server) = try relay.pair()
    let sender = try Background { [much] in
      for _ in 0..<5 {
        try client.send(much)
        try client.sendUrgent(0x62)
      }
      try client.endStream()
    }
    let received = server.receiveAll()
    #expect(received.bytes.count == 5 * (much.count + 1))
    #expect(received.bytes.filter { $0 == 0x62 }.count == 5)
    sender.join()
  }

  @Test("A unix socket carries a stream both ways", arguments: [true, false])
  func relaysUnixSockets(abstract: Bool) throws {
    let name = "adit-test-\(UInt64.random(in: 0 ... .max))"
    let address = SocketAddress.unix(abstract ? .abstract(name) : .path("/tmp/\(name)"))
    do {
      let relay = try RealRelay(at: .address(address))
      let (client, server) = try relay.pair()
      try client.send(much)
      try client.endStream()
      #expect(server.receiveAll() == (much, .endOfStream))
      try server.send([5])
      try server.endStream()
      #expect(client.receiveAll() == ([5], .endOfStream))
    }
    #expect(try FileStatus(of: "/tmp/\(name)") == nil)
  }
}
