import Kernel
import Reactor
import TestSupport
import Testing

@testable import Relay

/// Unix sockets, whose peers connect, send and leave before anyone looks.
@Suite(.timeLimit(.minutes(2))) struct UnixStreamTests {
  @Test("A unix client that sends and closes at once is carried whole")
  func carriesAQuickClient() throws {
    let relay = try ManualRelay(at: ManualRelay.unixAddress())
    do {
      let client = try BlockingSocket.connected(to: relay.address)
      try client.send([1, 2, 3])
    }
    let server = try relay.acceptedByServer()
    let flow = try #require(relay.home.flows.first)
    try relay.turn { flow.machine.upward.state == .ended || flow.isClosed }
    #expect(server.receiveAll() == ([1, 2, 3], .endOfStream))
  }

  @Test("A unix target that answers and leaves at once is heard whole")
  func hearsAQuickTarget() throws {
    let relay = try ManualRelay(to: ManualRelay.unixAddress())
    let client = try BlockingSocket.connected(to: relay.address)
    do {
      let server = try relay.acceptedByServer()
      try server.send([1, 2, 3])
    }
    let flow = try #require(relay.home.flows.first)
    try relay.turn { flow.machine.downward.state == .ended || flow.isClosed }
    #expect(client.receiveAll() == ([1, 2, 3], .endOfStream))
  }

  @Test("Bytes behind a message that passed a descriptor are carried too")
  func readsBehindADescriptor() throws {
    let relay = try ManualRelay(at: ManualRelay.unixAddress())
    let (client, server) = try relay.pair()
    try client.send(1, withDescriptor: client.number)
    try client.send([2, 3, 4])
    let flow = try #require(relay.home.flows.first)
    try relay.turn { flow.machine.sentToTarget == 4 }
    #expect(server.receive(4) == [1, 2, 3, 4])
  }
}
