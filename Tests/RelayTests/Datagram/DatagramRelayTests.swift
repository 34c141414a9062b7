import Kernel
import Reactor
import TestSupport
import Testing

@testable import Relay

/// The datagram relay over real sockets.
struct DatagramRelayTests {
  private static let loopback6 = SocketAddress.ip(.loopback6, port: 0)
  private static let wholeRange = [0, 1, 511, 512, 1400, 8192, 9000, 65_507]

  private func exchange(
    _ bytes: [UInt8], _ client: DatagramPeer, _ server: DatagramPeer, at address: SocketAddress
  ) throws {
    try client.send(bytes, to: address)
    let (asked, session) = try server.receive()
    #expect(asked == bytes)
    try server.send(bytes.reversed(), to: session)
    let (answer, source) = try client.receive()
    #expect(answer == bytes.reversed())
    #expect(source == address)
  }

  @Test("Every size goes both ways as it is", arguments: wholeRange)
  func sizes(_ size: Int) throws {
    let server = try DatagramPeer()
    let relay = try DatagramRelay(to: [.address(try server.address)])
    let client = try DatagramPeer()
    let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    try exchange(bytes, client, server, at: relay.address)
    // A second one, which meets the session.
    try exchange(bytes, client, server, at: relay.address)
    #expect(relay.counters().datagrams.sessionsBegun == 1)
  }

  @Test("IPv6 carries its own largest datagram", arguments: [0, 1400, 65_527])
  func sizes6(_ size: Int) throws {
    let server = try DatagramPeer(at: Self.loopback6)
    let relay = try DatagramRelay(
      at: .address(Self.loopback6), to: [.address(try server.address)])
    let client = try DatagramPeer(at: Self.loopback6)
    try exchange(.init(repeating: 7, count: size), client, server, at: relay.address)
  }

  @Test("What the other family cannot carry is dropped and counted, either way")
  func familyTooLarge() throws {
    let server = try DatagramPeer()
    let relay = try DatagramRelay(
      at: .address(Self.loopback6), to: [.address(try server.address)])
    let client = try DatagramPeer(at: Self.loopback6)
    try client.send(.init(repeating: 1, count: 65_527), to: relay.address)
    try exchange([1, 2, 3], client, server, at: relay.address)
    #expect(relay.counters().datagrams.droppedTooLarge == 1)

    let server6 = try DatagramPeer(at: Self.loopback6)
    let back = try DatagramRelay(to: [.address(try server6.address)])
    let client4 = try DatagramPeer()
    try client4.send("hello", to: back.address)
    let session = try server6.receiveText().source
    try server6.send(.init(repeating: 1, count: 65_527), to: session)
    try exchange([4, 5, 6], client4, server6, at: back.address)
    #expect(back.counters().datagrams.droppedTooLarge == 1)
  }

  @Test("The answer comes from the address and port that were asked, one session for each")
  func asked() throws {
    let server = try DatagramPeer()
    let relay = try DatagramRelay(
      at: .everyAddress(port: 0), to: [.address(try server.address)])
    let client = try DatagramPeer()
    try exchange([1], client, server, at: .ip(.loopback4, port: relay.port))
    try exchange([2], client, server, at: .ip(.v4(0x7f00_0002), port: relay.port))
    try exchange([3], client, server, at: .ip(.v4(0x7f00_0002), port: relay.port))
    let client6 = try DatagramPeer(at: Self.loopback6)
    try exchange([4], client6, server, at: .ip(.loopback6, port: relay.port))
    #expect(relay.counters().datagrams.sessionsBegun == 3)
    #expect(relay.relay.flowCount == 3)
  }

  @Test("Clients are kept apart, on one loop and on two", arguments: [1, 2])
  func apart(loops: Int) throws {
    let server = try DatagramPeer()
    let relay = try DatagramRelay(loops: loops, to: [.address(try server.address)])
    let clients = try (0..<16).map { _ in try DatagramPeer() }
    for round in 0..<3 {
      for (index, client) in clients.enumerated() {
        try client.send("\(round) \(index)", to: relay.address)
      }
      for _ in clients {
        let (text, session) = try server.receiveText()
        try server.send(text, to: session)
      }
      for (index, client) in clients.enumerated() {
        #expect(try client.receiveText().text == "\(round) \(index)")
      }
    }
    #expect(relay.counters().datagrams.sessionsBegun == 16)
  }

  @Test("A refusal is cleared and the datagram is sent once more: a server may come later")
  func refusal() throws {
    let place = try DatagramPeer().address
    let relay = try DatagramRelay(to: [.address(place)])
    let client = try DatagramPeer()
    try client.send("nobody there", to: relay.address)
    try relay.waitForRefusal()
    let server = try DatagramPeer(at: place)
    try exchange([1, 2], client, server, at: relay.address)
    let counters = relay.counters().datagrams
    #expect(counters.errorsCleared == 1)
    #expect(counters.sessionsBegun == 1)
    #expect(counters.sessionsEnded == 0)
  }

  @Test("A session whose target refuses goes on to the next one")
  func nextTarget() throws {
    let nobody = try DatagramPeer().address
    let server = try DatagramPeer()
    let relay = try DatagramRelay(to: [.address(nobody), .address(try server.address)])
    let client = try DatagramPeer()
    try client.send("lost", to: relay.address)
    try relay.waitForRefusal()
    try client.send("again", to: relay.address)
    #expect(try server.receiveText().text == "again")
    #expect(relay.counters().datagrams.sessionsMoved == 1)
  }

  @Test("A burst of clients gets a session each, and nothing is left of them")
  func burst() throws {
    let server = try DatagramPeer()
    let growth = DescriptorGrowth()
    do {
      let relay = try DatagramRelay(loops: 2, to: [.address(try server.address)], flows: 1000)
      let clients = try (0..<500).map { _ in try DatagramPeer() }
      for client in clients { try client.send("x", to: relay.address) }
      for _ in clients {
        let (text, session) = try server.receiveText()
        try server.send(text, to: session)
      }
      for client in clients { #expect(try client.receiveText().text == "x") }
      #expect(relay.relay.flowCount == 500)
      relay.relay.abortFlows()
      let counters = relay.counters()
      #expect(counters.datagrams.sessionsEnded == 500)
      #expect(counters.bytesUp == 500)
      #expect(relay.relay.flowCount == 0)
      #expect(relay.witness.records.allSatisfy { $0.end == .stopped && $0.traffic == .udp })
    }
    #expect(growth.isAbout(0))
  }

  @Test("Joined datagrams arrive one by one, whatever their sizes")
  func joined() throws {
    let server = try DatagramPeer()
    let relay = try DatagramRelay(to: [.address(try server.address)])
    let client = try DatagramPeer()
    try exchange([0], client, server, at: relay.address)
    let sizes = [100, 100, 100, 40, 0, 200, 200, 1, 1, 1500, 1500, 700]
    for size in sizes { try client.send(.init(repeating: 5, count: size), to: relay.address) }
    var session: SocketAddress?
    for size in sizes {
      let (bytes, source) = try server.receive()
      #expect(bytes.count == size)
      session = source
    }
    for size in sizes { try server.send(.init(repeating: 6, count: size), to: #require(session)) }
    for size in sizes { #expect(try client.receive().bytes.count == size) }
  }

  @Test("A port that is taken is refused")
  func taken() throws {
    let other = try DatagramPeer()
    let place = try other.address
    #expect(throws: ListenError.refused(place, .addressInUse)) {
      _ = try DatagramRelay(at: .address(place), to: [.address(place)])
    }
  }
}
