import CocoaAsyncSocket
import Foundation
import Kernel
import TestSupport
import Testing

/// What may be done when, and what the socket says of itself.
@Suite("States of GCDAsyncUdpSocket", .timeLimit(.minutes(1))) struct UdpStateTests {
  private func code(_ body: () throws -> Void) -> GCDAsyncUdpSocketError.Code? {
    do {
      try body()
      return nil
    } catch {
      return (error as? GCDAsyncUdpSocketError)?.code
    }
  }

  @Test("A new socket is closed, and has neither address nor peer")
  func newSocket() throws {
    let socket = GCDAsyncUdpSocket()
    #expect(socket.isClosed() && !socket.isConnected())
    #expect(socket.localAddress() == nil && socket.localHost() == nil && socket.localPort() == 0)
    #expect(socket.connectedAddress() == nil && socket.connectedHost() == nil)
    #expect(!socket.isIPv4() && !socket.isIPv6())
    #expect(socket.socketFD() == -1)
    #expect(socket.delegate() == nil && socket.delegateQueue() == nil)
    #expect(socket.isIPv4Enabled() && socket.isIPv6Enabled() && socket.isIPVersionNeutral())
    #expect(socket.maxReceiveIPv4BufferSize() == 65_535)
    #expect(socket.maxReceiveIPv6BufferSize() == 65_535 && socket.maxSendBufferSize() == 65_535)
    #expect(GCDAsyncUdpSocket().identifier > socket.identifier)
  }

  @Test("Settings read as they were set")
  func settings() throws {
    let socket = GCDAsyncUdpSocket(socketQueue: nil)
    socket.setPreferIPv4()
    #expect(socket.isIPv4Preferred() && !socket.isIPVersionNeutral())
    socket.setPreferIPv6()
    #expect(socket.isIPv6Preferred())
    socket.setIPVersionNeutral()
    socket.setUserData(7)
    #expect(socket.userData() as? Int == 7)
    let recorder = UdpRecorder()
    socket.setDelegate(recorder, delegateQueue: recorder.queue)
    #expect(socket.delegate() === recorder && socket.delegateQueue() === recorder.queue)
    socket.setIPv4Enabled(false)
    socket.setIPv6Enabled(false)
    #expect(code { try socket.bind(toPort: 0) } == .badConfigError)
  }

  @Test("What is out of order is refused as the configuration's fault")
  func order() throws {
    let recorder = UdpRecorder()
    #expect(code { try GCDAsyncUdpSocket().bind(toPort: 0) } == .badConfigError)
    let socket = recorder.socket()
    #expect(code { try socket.beginReceiving() } == .badConfigError)
    #expect(code { try socket.receiveOnce() } == .badConfigError)
    #expect(code { try socket.joinMulticastGroup("224.0.0.251") } == .badConfigError)
    socket.send(Data([1]), withTimeout: -1, tag: 5)
    #expect(try recorder.next() == .notSent(5, .badConfigError))
    try socket.bind(toPort: 0)
    #expect(code { try socket.bind(toPort: 0) } == .badConfigError)
    try socket.connect(toHost: "127.0.0.1", onPort: 9)
    #expect(try recorder.next() == .connected)
    #expect(code { try socket.connect(toHost: "127.0.0.1", onPort: 9) } == .badConfigError)
    #expect(code { try socket.joinMulticastGroup("224.0.0.251") } == .badConfigError)
    socket.send(Data([1]), toHost: "127.0.0.1", port: 9, withTimeout: -1, tag: 6)
    #expect(try recorder.next() == .notSent(6, .badConfigError))
  }

  @Test("Arguments that cannot be used are named")
  func badInput() throws {
    let recorder = UdpRecorder()
    let socket = recorder.socket()
    #expect(code { try socket.bind(toPort: 0, interface: "nothing-7") } == .badParamError)
    #expect(code { try socket.bind(toAddress: Data([1, 2, 3])) } == .badParamError)
    #expect(code { try socket.connect(toAddress: Data()) } == .badParamError)
    try socket.bind(toPort: 0)
    #expect(code { try socket.joinMulticastGroup("127.0.0.1") } == .badParamError)
    #expect(
      code { try socket.joinMulticastGroup("224.0.0.251", onInterface: "no") } == .badParamError)
    socket.send(Data([1]), toAddress: Data([9]), withTimeout: -1, tag: 1)
    #expect(try recorder.next() == .notSent(1, .badParamError))
    socket.send(Data([1]), toHost: "no such host", port: 9, withTimeout: -1, tag: 2)
    #expect(
      try recorder.next() == .notSent(2, domain: "kCFStreamErrorDomainNetDB", code: -2))
    #expect(!socket.isClosed())
  }

  @Test("A name that leads nowhere is told, and the socket can be connected again")
  func notConnected() throws {
    let recorder = UdpRecorder()
    let socket = recorder.socket()
    try socket.connect(toHost: "no such host", onPort: 9)
    #expect(try recorder.next() == .notConnected)
    #expect(!socket.isConnected())
    try socket.connect(toHost: "localhost", onPort: 9)
    #expect(try recorder.next() == .connected)
  }

  @Test("An address is bound and taken apart")
  func addresses() throws {
    let recorder = UdpRecorder()
    let socket = recorder.socket()
    let address = SocketAddress.ip(.loopback6, port: 0)
    try socket.bind(toAddress: Data(address.kernelBytes))
    #expect(socket.isIPv6() && !socket.isIPv4())
    let own = try #require(socket.localAddress())
    #expect(GCDAsyncUdpSocket.isIPv6Address(own) && !GCDAsyncUdpSocket.isIPv4Address(own))
    #expect(GCDAsyncUdpSocket.family(fromAddress: own) == AF_INET6)
    var host: NSString?
    var port: UInt16 = 0
    var family: Int32 = 0
    #expect(unsafe GCDAsyncUdpSocket.getHost(&host, port: &port, fromAddress: own))
    #expect(host == "::1" && port == socket.localPort() && port != 0)
    #expect(unsafe GCDAsyncUdpSocket.getHost(nil, port: nil, family: &family, fromAddress: own))
    #expect(family == AF_INET6)
    #expect(GCDAsyncUdpSocket.host(fromAddress: Data([0])) == nil)
    let scoped = SocketAddress.ip(
      .v6(0xfe80_0000_0000_0000, 1, scope: try #require(Interface.index(named: "lo"))), port: 7)
    let data = Data(scoped.kernelBytes)
    #expect(GCDAsyncUdpSocket.host(fromAddress: data) == "fe80::1%lo")
  }

  @Test("The descriptors are known inside perform only")
  func descriptors() throws {
    let recorder = UdpRecorder()
    let socket = recorder.socket()
    try socket.bind(toPort: 0)
    #expect(socket.socket4FD() == -1)
    socket.perform {
      #expect(socket.socketFD() >= 0 && socket.socketFD() == socket.socket4FD())
      #expect(socket.socket6FD() >= 0 && socket.socket6FD() != socket.socket4FD())
    }
  }

  @Test("Two sockets share a port only after both said so")
  func reusePort() throws {
    let recorder = UdpRecorder()
    let first = recorder.socket()
    try first.bind(toPort: 0)
    let second = recorder.socket()
    #expect(throws: NSError.self) { try second.bind(toPort: first.localPort()) }
    #expect(second.isClosed())
    let third = recorder.socket()
    let fourth = recorder.socket()
    try third.enableReusePort(true)
    try fourth.enableReusePort(true)
    try third.bind(toPort: 0)
    try fourth.bind(toPort: third.localPort())
    #expect(fourth.localPort() == third.localPort())
  }

  @Test("A socket that is let go of leaves no descriptor")
  func descriptorsAreClosed() async {
    await #expect(processExitsWith: .success) {
      func round() throws {
        let recorder = UdpRecorder()
        let socket = recorder.socket()
        try socket.bind(toPort: 0)
        try socket.beginReceiving()
        socket.send(
          Data([1]), toHost: "127.0.0.1", port: socket.localPort(), withTimeout: -1, tag: 0)
        _ = try recorder.take(2)
      }
      try round()
      let growth = DescriptorGrowth()
      for _ in 0..<DescriptorGrowth.many { try round() }
      GCDAsyncUdpSocket().perform {}
      GCDAsyncUdpSocket().perform {}
      #expect(growth.isAbout(0))
    }
  }
}
