import Glibc
import Kernel
import TestSupport
import Testing

@testable import Relay

/// The relay's face over real sockets: addresses, limits, changes.
@Suite(.timeLimit(.minutes(2))) struct PortRelayTests {
  private func roundTrip(_ pair: (client: BlockingSocket, server: BlockingSocket)) throws {
    try pair.client.send([1, 2])
    #expect(pair.server.receive(2) == [1, 2])
    try pair.server.send([3])
    #expect(pair.client.receive(1) == [3])
  }

  @Test("An address that another program has is refused by name, also with several loops")
  func refusesATakenAddress() throws {
    let relay = try RealRelay(loops: 2)
    let tunnel = StreamTunnel(name: "again", targets: [.address(relay.address)])
    #expect(throws: ListenError.refused(relay.address, .addressInUse)) {
      _ = try relay.relay.listen(at: .address(relay.address), for: tunnel)
    }
  }

  @Test("The wildcard takes both families at one port")
  func listensEverywhere() throws {
    let relay = try RealRelay(at: .everyAddress(port: 0))
    #expect(relay.listener.addresses.count == 2)
    for address in relay.listener.addresses {
      guard case .ip(let ip, let port) = address else {
        Issue.record("not an IP address")
        continue
      }
      let client = try BlockingSocket.connected(
        to: .ip(ip.isIPv6 ? .loopback6 : .loopback4, port: port))
      try roundTrip((client, try relay.server.accept()))
    }
  }

  @Test("Connections are carried by every loop")
  func usesEveryLoop() throws {
    let relay = try RealRelay(loops: 2)
    for _ in 0..<40 { try roundTrip(try relay.pair()) }
    let idle = Signal()
    relay.relay.notifyWhenIdle { idle.send() }
    idle.wait()
    #expect(relay.witness.threads.count == 2)
  }

  @Test("A stale socket file of this user is replaced")
  func replacesAStaleFile() throws {
    let path = "/tmp/adit-stale-\(UInt64.random(in: 0 ... .max))"
    let address = SocketAddress.unix(.path(path))
    do { _ = try BlockingSocket.listening(at: address) }
    #expect(try FileStatus(of: path) != nil)
    let relay = try RealRelay(at: .address(address))
    try roundTrip(try relay.pair())
  }

  @Test("A live socket and a file that is no socket are refused and left alone")
  func refusesForeignFiles() throws {
    let path = "/tmp/adit-foreign-\(UInt64.random(in: 0 ... .max))"
    let address = SocketAddress.unix(.path(path))
    do {
      let live = try BlockingSocket.listening(at: address)
      #expect(throws: ListenError.unixSocketInUse(path: path)) {
        _ = try RealRelay(at: .address(address))
      }
      _ = try live.address
      try FileStatus.unlink(path)
    }
    let file = unsafe open(path, O_CREAT | O_WRONLY, 0o600)
    close(file)
    #expect(throws: ListenError.notOurs(path: path)) { _ = try RealRelay(at: .address(address)) }
    #expect(try FileStatus(of: path) != nil)
    try FileStatus.unlink(path)
  }

  @Test("An inherited listener is carried, anything else is refused")
  func adoptsListeners() throws {
    let socket = try Descriptor.streamSocket(for: .ip(.loopback4, port: 0))
    try socket.bind(to: .ip(.loopback4, port: 0))
    try socket.listen(backlog: 10)
    let relay = try RealRelay(at: .inherited(socket.release()))
    try roundTrip(try relay.pair())
    let other = try Descriptor.quiet().release()
    #expect(throws: ListenError.notAListener(descriptor: other)) {
      _ = try RealRelay(at: .inherited(other))
    }
  }

  @Test("At the flow limit new clients wait, old flows work, and a place is taken at once")
  func waitsAtTheLimit() throws {
    let relay = try RealRelay { $0.flows = 2 }
    var pairs = [try relay.pair(), try relay.pair()]
    let waiting = try BlockingSocket.connected(to: relay.address)
    try roundTrip(pairs[0])
    #expect(!relay.server.hasInput())
    pairs.removeLast()
    try roundTrip((waiting, try relay.server.accept()))
  }

  @Test("A changed tunnel serves new flows and leaves old ones alone")
  func changesTargets() throws {
    let relay = try RealRelay()
    let old = try relay.pair()
    try roundTrip(old)
    let other = try BlockingSocket.listening()
    relay.relay.update(
      relay.listener, to: StreamTunnel(name: "real", targets: [.address(try other.address)]))
    relay.waitForLoops()
    let client = try BlockingSocket.connected(to: relay.address)
    try roundTrip((client, try other.accept()))
    try roundTrip(old)
  }

  @Test("A closed listener refuses, and its flows go on")
  func closesListeners() throws {
    let relay = try RealRelay()
    let pair = try relay.pair()
    relay.relay.close(relay.listener)
    relay.waitForLoops()
    #expect(throws: Errno.connectionRefused) {
      _ = try BlockingSocket.connected(to: relay.address)
    }
    try roundTrip(pair)
  }

  @Test("Counters tell what was carried, also by flows that live")
  func counts() throws {
    let relay = try RealRelay()
    let pair = try relay.pair()
    try roundTrip(pair)
    let counted = Lock(RelayCounters())
    let done = Signal()
    relay.relay.counters { counters in
      counted.withLock { $0 = counters }
      done.send()
    }
    done.wait()
    let counters = counted.withLock { $0 }
    #expect(counters.accepted == 1)
    #expect(counters.bytesUp == 2)
    #expect(counters.bytesDown == 1)
    #expect(relay.relay.flowCount == 1)
  }

  @Test("A record names the four addresses and the bytes each way")
  func records() throws {
    let relay = try RealRelay()
    do {
      let pair = try relay.pair()
      try roundTrip(pair)
    }
    let idle = Signal()
    relay.relay.notifyWhenIdle { idle.send() }
    idle.wait()
    let record = try #require(relay.witness.records.first)
    #expect(record.listener == relay.address)
    #expect(record.target == (try relay.server.address))
    #expect(record.client.port != nil && record.local?.port != nil)
    #expect((record.bytesUp, record.bytesDown) == (2, 1))
    #expect(record.name == "real/1")
  }
}
