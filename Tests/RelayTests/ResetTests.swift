import Kernel
import Reactor
import TestSupport
import Testing

@testable import Relay

/// Resets over real sockets, at the moments at which they are easily lost or come too early.
@Suite(.timeLimit(.minutes(2))) struct ResetTests {
  @Test("A target that answers and resets before the relay looks is heard, then reset")
  func hearsATargetThatResets() throws {
    let relay = try ManualRelay()
    let client = try BlockingSocket.connected(to: relay.address)
    do {
      let server = try relay.acceptedByServer()
      try server.send([1, 2, 3])
      try server.waitUntilAcknowledged()
      server.resetOnClose()
    }
    #expect(try relay.end() == .targetReset)
    #expect(client.receiveAll() == ([1, 2, 3], .reset))
  }

  @Test("An end of stream and a reset that come together are passed on as a reset")
  func passesAResetBehindAnEnd() throws {
    let relay = try ManualRelay()
    var (client, server): (BlockingSocket?, BlockingSocket) = try relay.pair()
    try client?.send([1])
    try client?.endStream()
    try client?.waitUntilAcknowledged()
    client?.resetOnClose()
    client = nil
    #expect(try relay.end() == .clientReset)
    #expect(server.receiveAll() == ([1], .reset))
    server = client ?? server
  }

  @Test("A target is shown no end of stream by a client that resets while it is connected")
  func showsNoFalseEnd() throws {
    let relay = try ManualRelay()
    let server: BlockingSocket
    do {
      let client = try BlockingSocket.connected(to: relay.address)
      server = try relay.acceptedByServer()
      try client.send([1])
      try client.waitUntilAcknowledged()
      client.resetOnClose()
    }
    _ = try relay.end()
    #expect(server.receiveAll().end == .reset)
  }

  @Test("A reset that follows an end of stream ends the flow")
  func noticesALateReset() throws {
    let relay = try ManualRelay()
    var (client, server): (BlockingSocket?, BlockingSocket) = try relay.pair()
    try client?.send([1])
    try client?.endStream()
    let flow = relay.home.flows[0]
    try relay.turn { flow.machine.upward.state == .ended }
    #expect(server.receiveAll() == ([1], .endOfStream))
    client?.resetOnClose()
    client = nil
    #expect(try relay.end() == .clientReset)
    server = client ?? server
  }

  @Test("A complete upload is delivered although its sender resets before it has the answer")
  func deliversAnUploadOfAResetClient() throws {
    let relay = try ManualRelay()
    // More than a receive window that nobody reads from, less than what the relay's kernel queues.
    let bytes = (0..<500_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    var (client, server): (BlockingSocket?, BlockingSocket) = try relay.pair()
    let senders = [
      try Background { [client] in
        try client?.send(bytes)
        try client?.endStream()
      },
      try Background { [server] in
        try server.send(bytes)
        try server.endStream()
      },
    ]
    let flow = relay.home.flows[0]
    try relay.turn { flow.machine.phase == .settling }
    for sender in senders { sender.join() }
    client?.resetOnClose()
    client = nil
    try relay.turn { flow.machine.lostFirst == .client }
    let received = Lock<[UInt8]>([])
    let reader = try Background { [server] in
      let all = server.receiveAll().bytes
      received.withLock { $0 = all }
    }
    _ = try relay.end()
    reader.join()
    #expect(received.withLock { $0 } == bytes)
    server = client ?? server
  }
}
