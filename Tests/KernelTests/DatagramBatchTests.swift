import Kernel
import TestSupport
import Testing

/// Two sockets on this machine, unconnected.
private final class DatagramPair {
  let near: Descriptor
  let far: Descriptor
  let nearAddress: SocketAddress
  let farAddress: SocketAddress

  init(_ address: IPAddress = .loopback4) throws {
    near = try Descriptor.datagramSocket(for: .ip(address, port: 0))
    far = try Descriptor.datagramSocket(for: .ip(address, port: 0))
    try near.bind(to: .ip(address, port: 0))
    try far.bind(to: .ip(address, port: 0))
    nearAddress = try near.localAddress()
    farAddress = try far.localAddress()
  }
}

private func bytes(_ span: RawSpan) -> [UInt8] {
  var bytes: [UInt8] = []
  bytes.append(span)
  return bytes
}

@Suite("Batches of datagrams") struct DatagramBatchTests {
  static let loopbacks = [IPAddress.loopback4, .loopback6]

  @Test("every size from none to the most arrives whole", arguments: loopbacks)
  func everySizeArrives(address: IPAddress) throws {
    let pair = try DatagramPair(address)
    var batch = try DatagramBatch(capacity: 4)
    for size in [0, 1, 1472, 9216, 9217, 65_507] {
      let sent = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      let isSent22 = try pair.near.send(datagram: sent.span.octets, to: pair.farAddress)
      #expect(isSent22)
      let count1 = try batch.receive(from: pair.far)
      #expect(count1 == 1)
      let header = batch.header(0)
      let received = bytes(batch.bytes(0))
      #expect(received == sent)
      #expect(header.fullLength == size && !header.isTruncated)
      #expect(header.source == pair.nearAddress)
    }
    let count2 = try batch.receive(from: pair.far)
    #expect(count2 == 0)
    #expect(batch.count == 0)
  }

  @Test("a datagram that is too long is an error and no other is lost")
  func tooLongIsAnError() throws {
    let pair = try DatagramPair()
    let long = [UInt8](repeating: 1, count: 65_508)
    #expect(throws: Errno.messageTooLong) {
      try pair.near.send(datagram: long.span.octets, to: pair.farAddress)
    }
    let isSent23 = try pair.near.send(datagram: [UInt8]([7]).span.octets, to: pair.farAddress)
    #expect(isSent23)
    var batch = try DatagramBatch(capacity: 1)
    let count3 = try batch.receive(from: pair.far)
    #expect(count3 == 1)
    let received = bytes(batch.bytes(0))
    #expect(received == [7])
  }

  @Test("a datagram that was cut says so, with the length that it had")
  func cutIsReported() throws {
    let pair = try DatagramPair()
    let sent = [UInt8](repeating: 9, count: 100)
    let isSent24 = try pair.near.send(datagram: sent.span.octets, to: pair.farAddress)
    #expect(isSent24)
    var batch = try DatagramBatch(capacity: 1, slotSize: 60)
    let count4 = try batch.receive(from: pair.far)
    #expect(count4 == 1)
    #expect(batch.header(0).isTruncated)
    #expect(batch.header(0).fullLength == 100)
    let kept = batch.bytes(0).byteCount
    #expect(kept == 60)
  }

  @Test("the destination and the interface are told", arguments: loopbacks)
  func destinationIsTold(address: IPAddress) throws {
    let pair = try DatagramPair(address)
    let option: SocketOption = address.isIPv6 ? .packetInformation6 : .packetInformation4
    try pair.far.set(option, 1)
    let isSent25 = try pair.near.send(datagram: [UInt8]([1]).span.octets, to: pair.farAddress)
    #expect(isSent25)
    var batch = try DatagramBatch(capacity: 2)
    let count5 = try batch.receive(from: pair.far)
    #expect(count5 == 1)
    #expect(batch.header(0).destination == address)
    #expect(batch.header(0).interface == Interface.index(named: "lo"))
  }

  @Test("a datagram comes from the address that is asked for")
  func sourceIsChosen() throws {
    let any = try Descriptor.datagramSocket(for: .ip(.any4, port: 0))
    try any.bind(to: .ip(.any4, port: 0))
    let pair = try DatagramPair()
    let source = IPAddress.v4(0x7f00_0007)
    let isSent26 = try any.send(
      datagram: [UInt8]([1]).span.octets, to: pair.farAddress, from: source)
    #expect(isSent26)
    var batch = try DatagramBatch(capacity: 1)
    let count6 = try batch.receive(from: pair.far)
    #expect(count6 == 1)
    #expect(batch.header(0).source == .ip(source, port: try any.localAddress().port ?? 0))
  }

  @Test(
    "a batch is sent in its order, joined or not, and arrives the same", arguments: [true, false])
  func batchArrivesInOrder(joins: Bool) throws {
    let pair = try DatagramPair()
    var batch = try DatagramBatch(capacity: 40, slotSize: 2048)
    let sizes = [100, 100, 100, 60, 0, 1200, 1200, 7, 8, 8, 8] + Array(repeating: 500, count: 20)
    for (index, size) in sizes.enumerated() {
      let datagram = [UInt8](repeating: UInt8(index), count: size)
      let isIn11 = batch.append(datagram.span.octets, to: pair.farAddress)
      #expect(isIn11)
    }
    let isSent19 = try batch.send(through: pair.near, joins: joins)
    #expect(isSent19)
    #expect(batch.sentCount == sizes.count)
    var received: [[UInt8]] = []
    while try batch.receive(from: pair.far) > 0 {
      for index in 0..<batch.count { received.append(bytes(batch.bytes(index))) }
    }
    #expect(received.map(\.count) == sizes)
    #expect(received.enumerated().allSatisfy { $1.allSatisfy { [index = $0] in $0 == index } })
  }

  @Test("what the kernel has joined is taken apart as it was sent")
  func joinedIsTakenApart() throws {
    let pair = try DatagramPair()
    try pair.far.set(.joinedReceiving, 1)
    var batch = try DatagramBatch(capacity: 32)
    for index in 0..<10 {
      let datagram = [UInt8](repeating: UInt8(index), count: index == 9 ? 300 : 700)
      let isIn12 = batch.append(datagram.span.octets, to: pair.farAddress)
      #expect(isIn12)
    }
    let isSent20 = try batch.send(through: pair.near, joins: true)
    #expect(isSent20)
    var received: [[UInt8]] = []
    var datagrams = 0
    while try batch.receive(from: pair.far) > 0 {
      for index in 0..<batch.count {
        datagrams += 1
        let header = batch.header(index)
        for segment in 0..<header.segmentCount {
          received.append(bytes(batch.bytes(index).extracting(header.segment(segment))))
        }
      }
    }
    #expect(received.map(\.count) == Array(repeating: 700, count: 9) + [300])
    #expect(received.map { $0.first } == (0..<10).map { UInt8($0) })
    #expect(datagrams < 10, "the loopback device joins what was sent as one")
  }

  @Test("segments that are longer than the path takes go one by one")
  func longSegmentsGoOneByOne() throws {
    let pair = try DatagramPair()
    var batch = try DatagramBatch(capacity: 4)
    for _ in 0..<2 {
      let datagram = [UInt8](repeating: 3, count: 32_000)
      let isIn13 = batch.append(datagram.span.octets, to: pair.farAddress)
      #expect(isIn13)
    }
    let isIn14 = batch.append([UInt8](repeating: 4, count: 65_508).span.octets, to: pair.farAddress)
    #expect(isIn14)
    #expect(throws: Errno.messageTooLong) { try batch.send(through: pair.near, joins: true) }
    #expect(batch.sentCount == 2)
    batch.skip()
    let isSent21 = try batch.send(through: pair.near, joins: true)
    #expect(isSent21)
    let count7 = try batch.receive(from: pair.far)
    #expect(count7 == 2)
    #expect(batch.header(1).fullLength == 32_000)
  }

  @Test("dropped datagrams are counted")
  func dropsAreCounted() throws {
    let pair = try DatagramPair()
    try pair.far.set(.dropCounter, 1)
    try pair.far.set(.receiveBuffer, 4096)
    let datagram = [UInt8](repeating: 0, count: 1000)
    for _ in 0..<100 {
      let isSent27 = try pair.near.send(datagram: datagram.span.octets, to: pair.farAddress)
      #expect(isSent27)
    }
    var batch = try DatagramBatch(capacity: 100)
    let count = try batch.receive(from: pair.far)
    #expect(count > 0 && count < 100)
    let isSent28 = try pair.near.send(datagram: datagram.span.octets, to: pair.farAddress)
    #expect(isSent28)
    let count8 = try batch.receive(from: pair.far)
    #expect(count8 == 1)
    #expect(batch.header(0).drops == UInt32(100 - count))
  }

  @Test("a full batch and a datagram longer than a slot are refused")
  func fullBatchRefuses() throws {
    var batch = try DatagramBatch(capacity: 1, slotSize: 2)
    let isIn15 = batch.append([UInt8]([1, 2, 3]).span.octets)
    #expect(!isIn15)
    let isIn16 = batch.append([UInt8]([1, 2]).span.octets)
    #expect(isIn16)
    let isIn17 = batch.append([UInt8]([1]).span.octets)
    #expect(!isIn17)
    batch.removeAll()
    let isIn18 = batch.append([UInt8]([1]).span.octets)
    #expect(isIn18)
  }

  @Test("a peer's refusal is one operation's error and the socket goes on")
  func refusalIsOneOperations() throws {
    let pair = try DatagramPair()
    let free = try Descriptor.datagramSocket(for: .ip(.loopback4, port: 0))
    try free.bind(to: .ip(.loopback4, port: 0))
    let nobody = try free.localAddress()
    _ = consume free
    _ = try pair.near.connect(to: nobody)
    let isSent29 = try pair.near.send(datagram: [UInt8]([1]).span.octets)
    #expect(isSent29)
    try wait(for: .readable, pair.near)
    var batch = try DatagramBatch(capacity: 1)
    #expect(throws: Errno.connectionRefused) { try batch.receive(from: pair.near) }
    let count9 = try batch.receive(from: pair.near)
    #expect(count9 == 0)
    try pair.near.disconnect()
    let isSent30 = try pair.near.send(datagram: [UInt8]([2]).span.octets, to: pair.farAddress)
    #expect(isSent30)
    let count10 = try batch.receive(from: pair.far)
    #expect(count10 == 1)
  }

  @Test("receiving and sending allocate nothing", .enabled(if: Allocations.areCounted))
  func nothingIsAllocated() throws {
    let pair = try DatagramPair()
    try pair.far.set(.packetInformation4, 1)
    var out = try DatagramBatch(capacity: 16, slotSize: 1500)
    var batch = try DatagramBatch(capacity: 16)
    let payload = [UInt8](repeating: 1, count: 200)
    let far = pair.farAddress
    var received = 0
    let count = try Allocations.during {
      for _ in 0..<100 {
        for _ in 0..<16 { out.append(payload.span.octets, to: far, from: .loopback4) }
        while try !out.send(through: pair.near, joins: true) {}
        while try batch.receive(from: pair.far) > 0 {
          for index in 0..<batch.count where batch.header(index).source == pair.nearAddress {
            received += 1
          }
        }
      }
    }
    #expect(count == 0)
    #expect(received == 1600)
  }
}
