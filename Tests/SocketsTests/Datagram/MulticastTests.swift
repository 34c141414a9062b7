import Kernel
import Reactor
import TestSupport
import Testing

@testable import Sockets

/// Groups and broadcast, in a network of the test's own.
@Suite("Groups and broadcast", .enabled(if: NetworkNamespace.isAvailable), .timeLimit(.minutes(1)))
struct MulticastTests {
  @Test("A socket is in several groups, each on its interface", arguments: [false, true])
  func severalGroups(isIPv6: Bool) async {
    await #expect(processExitsWith: .success) { [isIPv6] in
      try await Network().severalGroups(isIPv6)
    }
  }

  @Test("A group with one sender lets no other through")
  func oneSender() async {
    await #expect(processExitsWith: .success) { try await Network().oneSender() }
  }

  @Test("Broadcast is sent by those who are permitted, and arrives")
  func broadcast() async {
    await #expect(processExitsWith: .success) { try await Network().broadcast() }
  }

  @Test("A socket that is tied to an interface has nothing of another")
  func device() async {
    await #expect(processExitsWith: .success) { try await Network().device() }
  }

  @Test("A link-local address needs its scope and tells it")
  func scope() async {
    await #expect(processExitsWith: .success) { try await Network().scope() }
  }
}

/// A test's body, on a loop in the network.
private actor Network {
  private nonisolated let loop: EventLoop

  init() throws {
    loop = try NetworkNamespace.makeLoop()
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe loop.asUnownedSerialExecutor()
  }

  private func interface(_ name: String) throws -> UInt32 {
    try #require(Interface.index(named: name))
  }

  func severalGroups(_ isIPv6: Bool) async throws {
    let (one, two) = (try interface("one"), try interface("two"))
    let groups =
      (isIPv6 ? ["ff02::5:1", "ff02::5:2", "ff02::5:3"] : ["239.1.1.1", "239.1.1.2", "239.1.1.3"])
      .compactMap { IPAddress($0) }
    let any: IPAddress = isIPv6 ? .any6 : .any4
    let member = try await DatagramSocket.bound(to: .ip(any, port: 0))
    let port = try #require(try await member.localAddress.port)
    try await member.join(groups[0], onInterface: "one")
    try await member.join(groups[1], onInterface: "one")
    try await member.join(groups[1], onInterface: "two")
    let sender = try await DatagramSocket.bound(to: .ip(any, port: 0))
    func send(_ number: UInt8, _ group: Int, _ interface: UInt32) async throws {
      try await sender.setMulticastInterface(interface)
      try await sender.send([number], to: .ip(groups[group], port: port))
    }
    try await send(1, 0, one)
    try await send(2, 0, two)
    try await send(3, 1, one)
    try await send(4, 1, two)
    try await send(5, 2, one)
    try await member.leave(groups[0], onInterface: "one")
    try await send(6, 0, one)
    let own: IPAddress = isIPv6 ? try #require(IPAddress("fd07:1::1")) : .v4(0x0a07_0101)
    try await sender.send([7], to: .ip(own, port: port))
    var received: [UInt8: Datagram] = [:]
    while received[7] == nil {
      let datagram = try await member.receive(timeout: .seconds(10))
      received[datagram.bytes[0]] = datagram
    }
    #expect(received.keys.sorted() == [1, 3, 4, 7])
    #expect(received[1]?.interface == one && received[4]?.interface == two)
    #expect(received[3]?.destination.map { $0.description.hasPrefix("\(groups[1])") } == true)
  }

  func oneSender() async throws {
    let group = try #require(IPAddress("232.1.1.1"))
    let wanted = IPAddress.v4(0x0a07_0101)
    let member = try await DatagramSocket.bound(to: .ip(.any4, port: 0))
    let port = try #require(try await member.localAddress.port)
    try await member.join(group, onInterface: "one", source: wanted)
    try await member.join(group, onInterface: "two", source: wanted)
    let sender = try await DatagramSocket.bound(to: .ip(.any4, port: 0))
    for (number, name) in [(1, "two"), (2, "one")] {
      try await sender.setMulticastInterface(named: name)
      try await sender.send([UInt8(number)], to: .ip(group, port: port))
    }
    let datagram = try await member.receive(timeout: .seconds(10))
    #expect(datagram.bytes == [2])
    #expect(datagram.source == .ip(wanted, port: try await sender.localAddress.port ?? 0))
    await #expect(throws: SocketError.self, "addresses of two families") {
      try await member.join(MulticastGroup(group, source: .loopback6))
    }
  }

  func broadcast() async throws {
    let member = try await DatagramSocket.bound(to: .ip(.any4, port: 0))
    let port = try #require(try await member.localAddress.port)
    let sender = try await DatagramSocket.bound(to: .ip(.v4(0x0a07_0101), port: 0))
    let to = SocketAddress.ip(.v4(0x0a07_01ff), port: port)
    await #expect(throws: SocketError.system(.permissionDenied, doing: "sending to \(to)")) {
      try await sender.send([1], to: to)
    }
    try await sender.setAllowsBroadcast(true)
    try await sender.send([2], to: to)
    let datagram = try await member.receive(timeout: .seconds(10))
    #expect(datagram.bytes == [2])
    #expect(datagram.destination == .v4(0x0a07_01ff))
  }

  func device() async throws {
    var options = DatagramOptions()
    options.device = "one"
    let member = try await DatagramSocket.bound(to: .ip(.any4, port: 0), options: options)
    let port = try #require(try await member.localAddress.port)
    let group = try #require(IPAddress("239.1.1.1"))
    try await member.join(group, onInterface: "one")
    try await member.join(group, onInterface: "two")
    let sender = try await DatagramSocket.bound(to: .ip(.any4, port: 0))
    for (number, name) in [(1, "two"), (2, "one")] {
      try await sender.setMulticastInterface(named: name)
      try await sender.send([UInt8(number)], to: .ip(group, port: port))
    }
    #expect(try await member.receive(timeout: .seconds(10)).bytes == [2])
  }

  func scope() async throws {
    let address = try #require(IPAddress("fe80::1%one"))
    let member = try await DatagramSocket.bound(to: .ip(address, port: 0))
    #expect("\(try await member.localAddress)".hasPrefix("[fe80::1%one]:"))
    let sender = try await DatagramSocket.bound(to: .ip(.any6, port: 0))
    try await sender.send([1], to: try await member.localAddress)
    let datagram = try await member.receive(timeout: .seconds(10))
    #expect("\(datagram.source)".hasPrefix("[fe80::1%one]:"))
    #expect(datagram.destination == address)
  }
}
