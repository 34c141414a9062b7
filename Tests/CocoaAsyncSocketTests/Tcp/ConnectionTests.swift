import CocoaAsyncSocket
import Foundation
import Kernel
import TestSupport
import Testing

@Suite("Connections of a delegate's socket")
struct ConnectionTests {
  @Test func aClientAndAServerExchangeBytes() throws {
    let pair = try SocketPair()
    pair.server.readData(withTimeout: -1, tag: 1)
    pair.client.write(Data("hello".utf8), withTimeout: -1, tag: 2)
    try pair.recorder.wrote(pair.client, tag: 2)
    #expect(try pair.recorder.text(pair.server, tag: 1) == "hello")
    #expect(pair.client.isConnected && pair.server.isConnected)
    #expect(pair.client.connectedHost == "127.0.0.1")
    #expect(pair.client.connectedPort == pair.listener.localPort)
    #expect(pair.server.connectedPort == pair.client.localPort)
    pair.client.disconnect()
    #expect(pair.client.isDisconnected)
    #expect(try pair.recorder.disconnected(pair.client) == nil)
    let error = try #require(try pair.recorder.disconnected(pair.server))
    #expect(error.domain == GCDAsyncSocketErrorDomain)
    #expect(error.code == GCDAsyncSocketError.closedError.rawValue)
  }

  @Test func withoutIPv6AConnectionIsIPv4() throws {
    let recorder = Recorder()
    let listener = recorder.socket()
    listener.isIPv6Enabled = false
    try listener.accept(onPort: 0)
    #expect(listener.isIPv4 && !listener.isIPv6)
    let client = recorder.socket()
    try client.connect(toHost: "127.0.0.1", onPort: listener.localPort)
    try recorder.connected(client)
    let server = try recorder.accepted()
    #expect(server.isIPv4 && !server.isIPv6)
  }

  @Test func withoutIPv4AConnectionIsIPv6() throws {
    let recorder = Recorder()
    let listener = recorder.socket()
    listener.isIPv4Enabled = false
    try listener.accept(onPort: 0)
    let client = recorder.socket()
    try client.connect(toHost: "::1", onPort: listener.localPort)
    try recorder.connected(client)
    let server = try recorder.accepted()
    #expect(server.isIPv6 && !server.isIPv4)
  }

  @Test(arguments: [true, false])
  func localhostIsReachedByThePreferredFamily(prefersIPv4: Bool) throws {
    let recorder = Recorder()
    let listener = recorder.socket()
    try listener.accept(onPort: 0)
    let client = recorder.socket()
    client.isIPv4PreferredOverIPv6 = prefersIPv4
    try client.connect(toHost: "localhost", onPort: listener.localPort, withTimeout: 20)
    let (host, _) = try recorder.connected(client)
    #expect(host == (prefersIPv4 ? "127.0.0.1" : "::1"))
    let server = try recorder.accepted()
    #expect(server.isIPv4 == prefersIPv4)
  }

  @Test(arguments: ["127.0.0.1", "::1"])
  func aConnectedDescriptorIsAdopted(host: String) throws {
    let recorder = Recorder()
    let listener = recorder.socket()
    try listener.accept(onPort: 0)
    let address = SocketAddress.ip(try #require(IPAddress(host)), port: listener.localPort)
    let descriptor = try Descriptor.streamSocket(for: address)
    _ = try descriptor.connect(to: address)
    let server = try recorder.accepted()
    let client = try GCDAsyncSocket.socket(
      fromConnectedSocketFD: descriptor.release(), delegate: recorder,
      delegateQueue: recorder.queue)
    #expect(client.isConnected)
    #expect(client.connectedHost == host)
    #expect(client.connectedPort == listener.localPort)
    client.write(Data("adopted".utf8), withTimeout: -1, tag: 1)
    server.readData(toLength: 7, withTimeout: -1, tag: 2)
    #expect(try recorder.text(server, tag: 2) == "adopted")
  }

  @Test func anAcceptedSocketIsOfTheListenersClass() throws {
    final class OwnSocket: GCDAsyncSocket, @unchecked Sendable {  // guard: nothing is added.
      let name = "own"
    }
    let recorder = Recorder()
    let listener = OwnSocket(delegate: recorder, delegateQueue: recorder.queue)
    try listener.accept(onPort: 0)
    let client = try BlockingSocket.connected(to: .ip(.loopback4, port: listener.localPort))
    let server = try recorder.accepted()
    #expect((server as? OwnSocket)?.name == "own")
    _ = client
  }

  @Test func aPortIsFreeWhenTheListenerHasDisconnected() throws {
    let recorder = Recorder()
    let listener = recorder.socket()
    try listener.accept(onPort: 0)
    let port = listener.localPort
    listener.disconnect()
    try recorder.disconnected(listener)
    let second = recorder.socket()
    try second.accept(onPort: port)
    #expect(second.localPort == port)
  }

  @Test func aSocketIsUsedAgainAndNothingOfTheOldConnectionComes() throws {
    let recorder = Recorder()
    let listener = recorder.socket()
    try listener.accept(onPort: 0)
    let client = recorder.socket()
    for round in 0..<20 {
      try client.connect(toHost: "127.0.0.1", onPort: listener.localPort)
      let server = try recorder.accepted()
      server.write(Data("round \(round)\n".utf8), withTimeout: -1, tag: 0)
      client.readData(to: GCDAsyncSocket.lfData(), withTimeout: -1, tag: round)
      #expect(try recorder.text(client, tag: round) == "round \(round)\n")
      client.disconnect()
    }
    for _ in 0..<20 { try recorder.disconnected(client) }
    recorder.settle()
    let isOver = recorder.left(of: client).allSatisfy {
      if case .connected = $0 { true } else { false }
    }
    #expect(isOver, "\(recorder.names)")
  }

  @Test func twoSocketsAreEqualByTheirNumbers() {
    let (one, other) = (GCDAsyncSocket(), GCDAsyncSocket())
    #expect(one == one)
    #expect(one != other)
    #expect(one.identifier < other.identifier)
    #expect(Set([one, other, one]).count == 2)
  }

  @Test func refusedConnectionsTellSo() throws {
    let recorder = Recorder()
    let taken = try BlockingSocket.listening()
    let port = try #require(try taken.address.port)
    let client = recorder.socket()
    try client.connect(toHost: "::1", onPort: port, withTimeout: 20)
    let error = try #require(try recorder.disconnected(client))
    #expect(error.domain == NSPOSIXErrorDomain)
    #expect(error.code == Int(Errno.connectionRefused.rawValue))
  }
}
