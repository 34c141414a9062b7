import Kernel
import Names
import Reactor
import TestSupport
import Testing

@testable import Relay

/// Limits, time and names, on a loop that the test turns.
struct DatagramLimitTests {
  private func settings(_ change: (inout DatagramSettings) -> Void) -> DatagramSettings {
    var settings = DatagramSettings()
    change(&settings)
    return settings
  }

  private func send(
    _ text: String, from client: DatagramPeer, to server: DatagramPeer, by relay: ManualDatagrams
  ) throws -> SocketAddress {
    try client.send(text, to: relay.address)
    try relay.turn(until: { server.hasInput() })
    let (received, session) = try server.receiveText()
    #expect(received == text)
    return session
  }

  @Test("Silence ends a session; either direction breaks it")
  func idle() throws {
    let server = try DatagramPeer()
    let relay = try ManualDatagrams(to: [.address(try server.address)])
    let client = try DatagramPeer()
    let session = try send("1", from: client, to: server, by: relay)
    try relay.pass(.seconds(40))
    try server.send("2", to: session)
    try relay.turn(until: { client.hasInput() })
    try relay.pass(.seconds(40))
    _ = try send("3", from: client, to: server, by: relay)
    try relay.pass(.seconds(59))
    #expect(relay.service.sessionCount == 1)
    try relay.pass(.seconds(1))
    #expect(relay.service.sessionCount == 0)
    #expect(relay.budget.count == 0)
    let record = try #require(relay.witness.records.first)
    #expect(record.end == .idle)
    #expect(record.client == (try client.address))
    #expect(record.listener == relay.address)
    #expect(record.local == session)
    #expect(record.target == (try server.address))
    #expect(record.bytesUp == 2)
    #expect(record.bytesDown == 1)
  }

  @Test(
    "At the tunnel's and the process's limit the one used longest ago goes",
    arguments: [true, false])
  func eviction(byTunnel: Bool) throws {
    let server = try DatagramPeer()
    let relay = try ManualDatagrams(
      to: [.address(try server.address)], settings: settings { $0.flowLimit = byTunnel ? 2 : nil },
      flows: byTunnel ? 10 : 2)
    let clients = try (0..<3).map { _ in try DatagramPeer() }
    for index in [0, 1, 0, 2] {
      _ = try send("\(index)", from: clients[index], to: server, by: relay)
      try relay.pass(.seconds(1))
    }
    #expect(relay.counters.sessionsEvicted == 1)
    #expect(relay.service.sessionCount == 2)
    #expect(relay.witness.records.map(\.client) == [try clients[1].address])
    #expect(relay.witness.records.map(\.end) == [.evicted])
    #expect(relay.budget.count == 2)
  }

  @Test("A source at its limit ends its own session, not another's")
  func perSource() throws {
    let server = try DatagramPeer()
    let relay = try ManualDatagrams(
      to: [.address(try server.address)], settings: settings { $0.flowsPerSource = 1 })
    let other = try DatagramPeer(at: .ip(.v4(0x7f00_0003), port: 0))
    _ = try send("other", from: other, to: server, by: relay)
    let clients = try (0..<2).map { _ in try DatagramPeer() }
    for client in clients {
      try relay.pass(.seconds(1))
      _ = try send("x", from: client, to: server, by: relay)
    }
    #expect(relay.witness.records.map(\.client) == [try clients[0].address])
    #expect(relay.service.sessionCount == 2)
  }

  @Test("Where no session can give a place back the datagram is dropped and counted")
  func refused() throws {
    let server = try DatagramPeer()
    let relay = try ManualDatagrams(to: [.address(try server.address)], flows: 1)
    #expect(relay.budget.take())
    try DatagramPeer().send("x", to: relay.address)
    try relay.turn(until: { relay.counters.droppedRefused == 1 })
    #expect(relay.counters.sessionsBegun == 0)
    relay.budget.give()
  }

  @Test("While a name is looked up a few datagrams wait, and more are counted")
  func waiting() throws {
    let server = try DatagramPeer()
    let port = try #require(try server.address.port)
    let relay = try ManualDatagrams(to: [.name("server.example", port: port)])
    let client = try DatagramPeer()
    for index in 0..<10 { try client.send("\(index)", to: relay.address) }
    try relay.turn(until: { relay.counters.droppedWaiting == 2 })
    relay.names.answer(FamilyAnswer(.v6, .failure(.cancelled)))
    relay.names.answer(FamilyAnswer(.v4, .addresses([.loopback4])))
    for index in 0..<8 { #expect(try server.receiveText().text == "\(index)") }
    #expect(relay.service.exchange?.waitingBytes == 0)
    #expect(relay.counters.up == 8)
  }

  @Test("A name that has no address ends the session, and what waited is counted")
  func noAddress() throws {
    let relay = try ManualDatagrams(to: [.name("server.example", port: 9)])
    try DatagramPeer().send("x", to: relay.address)
    try relay.turn(until: { relay.service.sessionCount == 1 })
    relay.names.answer(FamilyAnswer(.v6, .failure(.cancelled)))
    relay.names.answer(FamilyAnswer(.v4, .failure(.cancelled)))
    #expect(relay.service.sessionCount == 0)
    #expect(relay.counters.droppedRefused == 1)
    #expect(relay.home.counters.unreachable == 1)
    #expect(relay.service.exchange?.waitingBytes == 0)
  }

  @Test("A silent session follows its target's name; one that is answered stays")
  func follows() throws {
    let first = try DatagramPeer()
    let port = try #require(try first.address.port)
    let second = try DatagramPeer(at: .ip(.v4(0x7f00_0002), port: port))
    let relay = try ManualDatagrams(
      to: [.name("server.example", port: port)], settings: settings { $0.idle = .seconds(600) })
    relay.names.answers = [
      FamilyAnswer(.v6, .failure(.cancelled)), FamilyAnswer(.v4, .addresses([.loopback4])),
    ]
    let client = try DatagramPeer()
    let session = try send("1", from: client, to: first, by: relay)
    try first.send("2", to: session)
    try relay.turn(until: { client.hasInput() })
    relay.names.answers = [
      FamilyAnswer(.v6, .failure(.cancelled)),
      FamilyAnswer(.v4, .addresses([.v4(0x7f00_0002)])),
    ]
    try relay.pass(.seconds(30))
    _ = try send("3", from: client, to: first, by: relay)
    try relay.pass(.seconds(30))
    _ = try send("4", from: client, to: second, by: relay)
    #expect(relay.counters.sessionsMoved == 1)
  }

  @Test("A closed listener serves the sessions it has until they are silent for a moment")
  func closing() throws {
    let server = try DatagramPeer()
    let relay = try ManualDatagrams(to: [.address(try server.address)])
    let client = try DatagramPeer()
    _ = try send("1", from: client, to: server, by: relay)
    relay.service.close()
    try DatagramPeer().send("new", to: relay.address)
    try relay.turn(until: { relay.counters.droppedRefused == 1 })
    let session = try send("2", from: client, to: server, by: relay)
    try server.send("3", to: session)
    try relay.turn(until: { client.hasInput() })
    try relay.pass(DatagramLimits.closingIdle)
    #expect(relay.home.services.isEmpty)
    #expect(relay.loop.population.registrations == 0)
    #expect(relay.loop.population.timers == 0)
  }
}

/// The data path, on a loop that the test turns itself.
@Suite(.enabled(if: Allocations.areCounted), .serialized) struct DatagramAllocationTests {
  @Test("Datagrams of a session allocate nothing, one by one and in bursts")
  func none() throws {
    let server = try DatagramPeer()
    let relay = try ManualDatagrams(to: [.address(try server.address)], observer: Silent())
    let client = try DatagramPeer()
    let place = DatagramPlace(relay.address)
    let block = DatagramBlock()
    let exchange = {
      for _ in 0..<8 { try client.send(512, of: block, to: place) }
      for _ in 0..<8 { try server.echo(block, relay.turn) }
      for _ in 0..<8 { try client.take(512, into: block, relay.turn) }
    }
    for _ in 0..<100 { try exchange() }
    let count = try Allocations.during { for _ in 0..<500 { try exchange() } }
    #expect(count == 0)
  }
}

private final class Silent: RelayObserver {
  let wantsEvents = false
  let wantsRecords = false
  func happened(_ event: FlowEvent) {}
  func ended(_ record: FlowRecord) {}
  func warned(_ warning: RelayWarning) {}
}
