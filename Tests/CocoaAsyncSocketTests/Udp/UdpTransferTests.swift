import CocoaAsyncSocket
import Foundation
import Kernel
import TestSupport
import Testing

/// Datagrams through `GCDAsyncUdpSocket`.
@Suite("GCDAsyncUdpSocket", .timeLimit(.minutes(1))) struct UdpTransferTests {
  static let hosts = ["127.0.0.1", "::1"]

  /// A socket that receives, and its delegate.
  private func receiver() throws -> (GCDAsyncUdpSocket, UdpRecorder) {
    let recorder = UdpRecorder()
    let socket = recorder.socket()
    try socket.bind(toPort: 0)
    try socket.beginReceiving()
    return (socket, recorder)
  }

  @Test("Every size arrives whole, in both families", arguments: hosts)
  func sizes(host: String) throws {
    let (far, heard) = try receiver()
    let told = UdpRecorder()
    let near = told.socket()
    for (tag, size) in [0, 1, 9216, 9217, 65_507].enumerated() {
      let data = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7) })
      near.send(data, toHost: host, port: far.localPort(), withTimeout: -1, tag: tag)
      #expect(try told.next() == .sent(tag))
      #expect(try heard.next() == .received(data))
    }
    let source = try #require(heard.sources.first)
    #expect(GCDAsyncUdpSocket.host(fromAddress: source) == host)
    #expect(
      GCDAsyncUdpSocket.port(fromAddress: source)
        == (host == "::1" ? near.localPort_IPv6() : near.localPort_IPv4()))
  }

  @Test("A datagram that is too long fails alone; socket and port stay")
  func tooLong() throws {
    let (far, heard) = try receiver()
    let told = UdpRecorder()
    let near = told.socket()
    near.send(
      Data(count: 65_508), toHost: "127.0.0.1", port: far.localPort(), withTimeout: -1, tag: 1)
    #expect(try told.next() == .notSent(1, .messageTooLong))
    near.setMaxSendBufferSize(10)
    near.send(Data(count: 11), toHost: "127.0.0.1", port: far.localPort(), withTimeout: -1, tag: 2)
    #expect(try told.next() == .notSent(2, .messageTooLong))
    near.send(Data(count: 10), toHost: "127.0.0.1", port: far.localPort(), withTimeout: -1, tag: 3)
    #expect(try told.next() == .sent(3))
    #expect(try heard.next() == .received(Data(count: 10)))
    #expect(!near.isClosed())
  }

  @Test("A connected socket survives a refusal and reaches the peer that comes")
  func refusal() throws {
    let free = UdpRecorder().socket()
    let holder = UdpRecorder()
    free.synchronouslySetDelegate(holder, delegateQueue: holder.queue)
    try free.bind(toPort: 0, interface: "127.0.0.1")
    let port = free.localPort()
    free.close()
    #expect(try holder.next() == .closed(hasError: false))
    let told = UdpRecorder()
    let near = told.socket()
    try near.connect(toHost: "127.0.0.1", onPort: port)
    #expect(try told.next() == .connected)
    #expect(near.isConnected() && near.connectedPort() == port)
    let own = near.localPort()
    near.send(Data([1]), withTimeout: -1, tag: 1)
    #expect(try told.next() == .sent(1))
    near.send(Data([2]), withTimeout: -1, tag: 2)
    #expect(try told.next() == .notSent(2, .connectionRefused))
    let heard = UdpRecorder()
    let far = heard.socket()
    try far.bind(toPort: port, interface: "127.0.0.1")
    try far.beginReceiving()
    near.send(Data([3]), withTimeout: -1, tag: 3)
    #expect(try told.next() == .sent(3))
    #expect(try heard.next() == .received(Data([3])))
    #expect(near.localPort() == own)
    #expect(!near.isClosed())
  }

  @Test("A refusal that is received is told with the next datagram")
  func receivedRefusal() throws {
    let told = UdpRecorder()
    let near = told.socket()
    let holder = UdpRecorder()
    let free = holder.socket()
    try free.bind(toPort: 0, interface: "localhost")
    let port = free.localPort()
    free.close()
    try near.connect(toHost: "127.0.0.1", onPort: port)
    try near.beginReceiving()
    #expect(try told.next() == .connected)
    near.send(Data([1]), withTimeout: -1, tag: 1)
    #expect(try told.next() == .sent(1))
    near.send(Data([2]), withTimeout: -1, tag: 2)
    #expect(try told.next() == .notSent(2, .connectionRefused))
    #expect(!near.isClosed())
  }

  @Test("receiveOnce takes one datagram at a time, in their order")
  func receiveOnce() throws {
    let heard = UdpRecorder()
    let far = heard.socket()
    try far.bind(toPort: 0)
    let told = UdpRecorder()
    let near = told.socket()
    for tag in 0..<3 {
      near.send(
        Data([UInt8(tag)]), toHost: "127.0.0.1", port: far.localPort(), withTimeout: -1, tag: tag)
    }
    _ = try told.take(3)
    for number in 0..<2 {
      try far.receiveOnce()
      #expect(try heard.next() == .received(Data([UInt8(number)])))
      #expect(heard.settle(far).isEmpty)
    }
    try far.beginReceiving()
    #expect(try heard.next() == .received(Data([2])))
    far.pauseReceiving()
    near.send(Data([9]), toHost: "127.0.0.1", port: far.localPort(), withTimeout: -1, tag: 9)
    _ = try told.next()
    #expect(heard.settle(far).isEmpty)
  }

  @Test("A receive filter lets through what it wants, with a context", arguments: [true, false])
  func receiveFilter(isAsynchronous: Bool) throws {
    let (far, heard) = try receiver()
    unsafe far.setReceiveFilter(
      { data, _, context in
        unsafe context.pointee = NSString(string: "even")
        return data.first.map { $0 % 2 == 0 } ?? false
      }, with: DispatchQueue(label: "filter"), isAsynchronous: isAsynchronous)
    let told = UdpRecorder()
    let near = told.socket()
    for tag in 0..<5 {
      near.send(
        Data([UInt8(tag)]), toHost: "127.0.0.1", port: far.localPort(), withTimeout: -1, tag: tag)
    }
    let expected = [0, 2, 4].map {
      UdpRecorder.Event.received(Data([UInt8($0)]), context: "even")
    }
    #expect(try heard.take(3) == expected)
    unsafe far.setReceiveFilter(nil, with: nil)
    near.send(Data([7]), toHost: "127.0.0.1", port: far.localPort(), withTimeout: -1, tag: 7)
    #expect(try heard.next() == .received(Data([7])))
  }

  @Test("receiveOnce waits for a datagram that the filter lets through")
  func receiveOnceFiltered() throws {
    let heard = UdpRecorder()
    let far = heard.socket()
    try far.bind(toPort: 0)
    unsafe far.setReceiveFilter(
      { data, _, _ in data == Data([3]) }, with: DispatchQueue(label: "filter"))
    try far.receiveOnce()
    let near = UdpRecorder().socket()
    for number in 0..<5 {
      near.send(
        Data([UInt8(number)]), toHost: "127.0.0.1", port: far.localPort(), withTimeout: -1, tag: 0)
    }
    #expect(try heard.next() == .received(Data([3])))
    #expect(heard.settle(far).isEmpty)
  }

  @Test("What a send filter drops is told as sent", arguments: [true, false])
  func sendFilter(isAsynchronous: Bool) throws {
    let (far, heard) = try receiver()
    let told = UdpRecorder()
    let near = told.socket()
    near.setSendFilter(
      { _, address, tag in tag != 1 && GCDAsyncUdpSocket.isIPv4Address(address) },
      with: DispatchQueue(label: "filter"), isAsynchronous: isAsynchronous)
    for tag in 0..<3 {
      near.send(
        Data([UInt8(tag)]), toHost: "127.0.0.1", port: far.localPort(), withTimeout: -1, tag: tag)
    }
    #expect(try told.take(3) == [.sent(0), .sent(1), .sent(2)])
    #expect(try heard.take(2) == [.received(Data([0])), .received(Data([2]))])
  }

  @Test("closeAfterSending sends everything first, and nothing is told afterwards")
  func closeAfterSending() throws {
    let (far, heard) = try receiver()
    let told = UdpRecorder()
    let near = told.socket()
    for tag in 0..<10 {
      near.send(
        Data([UInt8(tag)]), toHost: "localhost", port: far.localPort(), withTimeout: -1, tag: tag)
    }
    near.closeAfterSending()
    near.send(Data([99]), toHost: "127.0.0.1", port: far.localPort(), withTimeout: -1, tag: 99)
    _ = try heard.take(10)
    let events = try told.take(11)
    #expect(events.filter { $0 == .closed(hasError: false) }.count == 1)
    #expect((0..<10).allSatisfy { events.contains(.sent($0)) })
  }

  @Test("The port is free when didClose is told, and the socket can be used again")
  func closing() throws {
    let (far, heard) = try receiver()
    let port = far.localPort()
    far.close()
    #expect(far.isClosed() && far.localPort() == 0)
    far.close()
    #expect(try heard.next() == .closed(hasError: false))
    let (other, _) = (UdpRecorder().socket(), ())
    let holder = UdpRecorder()
    other.synchronouslySetDelegate(holder, delegateQueue: holder.queue)
    try other.bind(toPort: port)
    other.close()
    try far.bind(toPort: port)
    #expect(far.localPort_IPv4() == port && far.localPort_IPv6() == port)
    #expect(heard.settle(far).isEmpty)
  }

  @Test("A burst is received without recursion, or dropped by the kernel")
  func burst() throws {
    let (far, heard) = try receiver()
    far.perform {
      var size: Int32 = 16 << 20
      unsafe setsockopt(far.socket4FD(), SOL_SOCKET, SO_RCVBUF, &size, 4)
    }
    let told = UdpRecorder()
    let near = told.socket()
    for tag in 0..<10_000 {
      near.send(
        Data([UInt8(tag >> 8), UInt8(tag & 255)]), toHost: "127.0.0.1", port: far.localPort(),
        withTimeout: -1, tag: tag)
    }
    let events = try told.take(10_000)
    #expect(events == (0..<10_000).map { .sent($0) })
    #expect(heard.settle(far).count > 0)
    let numbers = heard.received.map { Int($0[0]) << 8 | Int($0[1]) }
    #expect(numbers == numbers.sorted(), "in their order")
  }
}
