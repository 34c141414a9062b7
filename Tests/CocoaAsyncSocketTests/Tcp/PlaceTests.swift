import CocoaAsyncSocket
import Foundation
import Kernel
import TestSupport
import Testing

@Suite("Interfaces, ports and addresses of a delegate's socket")
struct PlaceTests {
  @Test func aClientComesFromTheInterfaceAndPortItNames() throws {
    let recorder = Recorder()
    let listener = recorder.socket()
    try listener.accept(onInterface: "localhost", port: 0)
    let probe = try BlockingSocket.listening()
    let free = try #require(try probe.address.port) == 0 ? UInt16(0) : freePort()
    for interface in ["127.0.0.1:\(free)", "lo", "127.0.0.1", ":\(freePort())"] {
      let client = recorder.socket()
      try client.connect(
        toHost: "127.0.0.1", onPort: listener.localPort, viaInterface: interface, withTimeout: 20)
      try recorder.connected(client)
      #expect(client.localHost == "127.0.0.1")
      if let port = interface.split(separator: ":").last.flatMap({ UInt16($0) }) {
        #expect(client.localPort == port)
      }
      client.disconnect()
      try recorder.disconnected(client)
    }
  }

  /// A port that nobody has at the moment.
  private func freePort() -> UInt16 {
    let socket = try? BlockingSocket.listening()
    return (try? socket?.address.port) ?? 0
  }

  @Test func anIPv6LiteralIsAnInterface() throws {
    let recorder = Recorder()
    let listener = recorder.socket()
    try listener.accept(onInterface: "::1", port: 0)
    #expect(listener.localHost == "::1")
    for interface in ["::1", "[::1]", "[::1]:\(freePort())"] {
      let client = recorder.socket()
      try client.connect(
        toHost: "::1", onPort: listener.localPort, viaInterface: interface, withTimeout: 20)
      try recorder.connected(client)
      #expect(client.localHost == "::1")
    }
  }

  @Test func bothFamiliesListenOnOnePort() throws {
    let recorder = Recorder()
    let listener = recorder.socket()
    try listener.accept(onPort: 0)
    #expect(listener.isIPv4 && listener.isIPv6)
    for address in [IPAddress.loopback4, .loopback6] {
      let peer = try BlockingSocket.connected(to: .ip(address, port: listener.localPort))
      let server = try recorder.accepted()
      #expect(server.connectedHost == "\(address)")
      _ = peer
    }
  }

  @Test func sockaddrsAreReadAndConnectedTo() throws {
    let recorder = Recorder()
    let listener = recorder.socket()
    try listener.accept(onInterface: "loopback", port: 0)
    let address = try #require(listener.localAddress)
    #expect(GCDAsyncSocket.isIPv4Address(address))
    #expect(!GCDAsyncSocket.isIPv6Address(address))
    #expect(GCDAsyncSocket.host(fromAddress: address) == "127.0.0.1")
    #expect(GCDAsyncSocket.port(fromAddress: address) == listener.localPort)
    var (host, port): (NSString?, UInt16) = (nil, 0)
    let isRead = unsafe GCDAsyncSocket.getHost(&host, port: &port, fromAddress: address)
    #expect(isRead && host == "127.0.0.1" && port == listener.localPort)
    let client = recorder.socket()
    try client.connect(toAddress: address, withTimeout: 20)
    try recorder.connected(client)
    let server = try recorder.accepted()
    #expect(server.localAddress == client.connectedAddress)
    let parts = try #require(client.addresses)
    #expect(parts.remotePort == listener.localPort && parts.localHost == "127.0.0.1")
    let all = try GCDAsyncSocket.lookupHost("localhost", port: 99)
    #expect(all.count == 2)
    #expect(GCDAsyncSocket.host(fromAddress: Data([9])) == nil)
  }

  @Test func linkLocalAddressesKeepTheirScope() throws {
    let index = try #require(Interface.index(named: "lo"))
    let recorder = Recorder()
    let client = recorder.socket()
    // Nobody has the address; that the scope is understood shows in that there is no refusal.
    try client.connect(toHost: "fe80::1%lo", onPort: 9, withTimeout: 0.05)
    _ = try recorder.disconnected(client)
    #expect(IPAddress("fe80::1%lo") == .v6(0xfe80 << 48, 1, scope: index))
  }

  @Test func descriptorsAreKnownWithinPerformOnly() throws {
    let pair = try SocketPair()
    #expect(pair.client.socketFD() == -1)
    let numbers = Lock<[Int32]>([])
    pair.client.perform {
      numbers.withLock {
        $0 = [pair.client.socketFD(), pair.client.socket4FD(), pair.client.socket6FD()]
      }
    }
    let found = numbers.withLock { $0 }
    #expect(found[0] >= 0 && found[0] == found[1] && found[2] == -1)
    pair.listener.perform {
      #expect(pair.listener.socket4FD() >= 0)
      #expect(pair.listener.socket6FD() >= 0)
    }
  }

  @Test func aConnectionThatTakesTooLongTimesOut() throws {
    let recorder = Recorder()
    let client = recorder.socket()
    try client.connect(toHost: "127.0.0.1", onPort: 9, withTimeout: 0)
    let error = try #require(try recorder.disconnected(client))
    let codes = [
      GCDAsyncSocketError.connectTimeoutError.rawValue, Int(Errno.connectionRefused.rawValue),
    ]
    #expect(codes.contains(error.code))
  }
}
