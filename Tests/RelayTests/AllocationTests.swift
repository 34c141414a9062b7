import Kernel
import Reactor
import TestSupport
import Testing

@testable import Relay

/// The data path over real sockets, on a loop that the test turns itself.
@Suite(.enabled(if: Allocations.areCounted), .serialized) struct AllocationTests {
  @Test("A small exchange allocates nothing")
  func smallExchanges() throws {
    let relay = try ManualRelay(observer: Silence())
    let (client, server) = try relay.pair()
    let message = [UInt8](repeating: 1, count: 512)
    let exchange = {
      try client.send(message)
      try server.take(512, relay.turn)
      try server.send(message)
      try client.take(512, relay.turn)
    }
    for _ in 0..<100 { try exchange() }
    let count = try Allocations.during { for _ in 0..<1000 { try exchange() } }
    #expect(count == 0)
  }

  @Test("Bulk transfer allocates nothing")
  func bulk() throws {
    let relay = try ManualRelay(observer: Silence())
    let (client, server) = try relay.pair()
    let block = [UInt8](repeating: 2, count: 100_000)
    let push = {
      try client.send(block)
      try server.take(block.count, relay.turn)
    }
    for _ in 0..<50 { try push() }
    let count = try Allocations.during { for _ in 0..<200 { try push() } }
    #expect(count == 0)
    #expect(relay.home.flows[0].mode(from: .client) == .splicing)
  }
}

private final class Silence: RelayObserver {
  let wantsEvents = false
  let wantsRecords = false
  func happened(_ event: FlowEvent) {}
  func ended(_ record: FlowRecord) {}
  func warned(_ warning: RelayWarning) {}
}
