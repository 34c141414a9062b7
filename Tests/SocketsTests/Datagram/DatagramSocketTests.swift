import Kernel
import Names
import TestSupport
import Testing

@testable import Sockets

/// The native face of datagrams.
@Suite("Datagram sockets", .timeLimit(.minutes(1))) struct DatagramSocketTests {
  static let loopbacks = [IPAddress.loopback4, .loopback6]

  private func socket(
    _ address: IPAddress = .loopback4, _ change: (inout DatagramOptions) -> Void = { _ in }
  ) async throws -> DatagramSocket {
    var options = DatagramOptions()
    change(&options)
    return try await DatagramSocket.bound(to: .ip(address, port: 0), options: options)
  }

  /// An address at which nobody is.
  private func nobody() async throws -> SocketAddress {
    let free = try await socket()
    let address = try await free.localAddress
    await free.close()
    return address
  }

  @Test("Every size arrives whole, with its addresses", arguments: loopbacks)
  func sizes(address: IPAddress) async throws {
    let near = try await socket(address)
    let far = try await socket(address)
    for size in [0, 1, 1472, 9216, 9217, 65_507] {
      let bytes = patterned(size)
      try await near.send(bytes, to: try await far.localAddress)
      let datagram = try await far.receive()
      #expect(datagram.bytes == bytes)
      #expect(datagram.source == (try await near.localAddress))
      #expect(datagram.destination == address)
      #expect(datagram.interface == Interface.index(named: "lo"))
      #expect(!datagram.isTruncated)
    }
    let counters = await far.counters
    #expect(counters.datagramsReceived == 6 && counters.truncations == 0)
    #expect(await near.counters.bytesSent == counters.bytesReceived)
  }

  @Test("A datagram that is too long fails alone")
  func tooLong() async throws {
    let near = try await socket()
    let far = try await socket()
    let to = try await far.localAddress
    await #expect(throws: SocketError.system(.messageTooLong, doing: "sending to \(to)")) {
      try await near.send([UInt8](repeating: 0, count: 65_508), to: to)
    }
    try await near.send([1], to: to)
    #expect(try await far.receive().bytes == [1])
  }

  @Test("A refusal is the error of one operation; the socket goes on")
  func refusal() async throws {
    let near = try await DatagramSocket.connected(to: try await nobody())
    let own = try await near.localAddress
    try await near.send([1])
    await #expect(throws: SocketError.system(.connectionRefused, doing: "receiving a datagram")) {
      try await near.receive()
    }
    let far = try await socket()
    try await near.connect(to: try await far.localAddress)
    try await near.send([2])
    let datagram = try await far.receive()
    #expect(datagram.bytes == [2])
    #expect(datagram.source == own, "the port stays")
    #expect(await near.counters.errors == 1)
  }

  @Test("A cancelled receive loses no datagram, and the next one has it")
  func cancellation() async throws {
    let near = try await socket()
    let far = try await socket()
    let to = try await far.localAddress
    for round in 0..<50 {
      let waiting = Task { try await far.receive() }
      if round % 2 == 0 { await Task.yield() }
      async let sending: Void = near.send([UInt8(round)], to: to)
      waiting.cancel()
      try await sending
      switch await waiting.result {
      case .success(let datagram): #expect(datagram.bytes == [UInt8(round)])
      case .failure(let error):
        #expect(error as? SocketError == .cancelled)
        #expect(try await far.receive().bytes == [UInt8(round)])
      }
    }
  }

  @Test("Those who wait receive in the order in which they came")
  func order() async throws {
    let near = try await socket()
    let far = try await socket()
    let to = try await far.localAddress
    var tasks: [Task<[UInt8], any Error>] = []
    for _ in 0..<20 {
      tasks.append(Task { try await far.receive().bytes })
      while await far.waitingReceivers < tasks.count { await Task.yield() }
    }
    for number in 0..<20 { try await near.send([UInt8(number)], to: to) }
    for (number, task) in tasks.enumerated() {
      #expect(try await task.value == [UInt8(number)])
    }
  }

  @Test("A receive ends with its limit of time, and at the closing")
  func ends() async throws {
    let far = try await socket()
    await #expect(throws: SocketError.timedOut(.receiving)) {
      try await far.receive(timeout: .milliseconds(5))
    }
    let waiting = Task { try await far.receive() }
    while await far.waitingReceivers < 1 { await Task.yield() }
    let address = try await far.localAddress
    await far.close()
    #expect(await waiting.result.failure as? SocketError == .closed)
    await #expect(throws: SocketError.closed) { try await far.receive() }
    await #expect(throws: SocketError.closed) { try await far.send([1], to: address) }
    let again = try await DatagramSocket.bound(to: address)
    #expect(try await again.localAddress == address, "the port is free")
  }

  @Test("Datagrams come as a sequence until the socket is closed")
  func sequence() async throws {
    let near = try await socket()
    let far = try await socket()
    let to = try await far.localAddress
    for number in 0..<10 { try await near.send([UInt8(number)], to: to) }
    var received: [UInt8] = []
    for try await datagram in far.datagrams {
      received += datagram.bytes
      if received.count == 10 { await far.close() }
    }
    #expect(received == Array(0..<10))
  }

  @Test("A batch arrives as it was sent, joined or not", arguments: [true, false])
  func batches(joins: Bool) async throws {
    let near = try await socket { $0.joinsSent = joins }
    let far = try await socket { $0.joinsReceived = joins }
    let to = try await far.localAddress
    var batch = try DatagramBatch(capacity: 32, slotSize: 2048)
    for number in 0..<32 {
      batch.append([UInt8](repeating: UInt8(number), count: 900).span.octets, to: to)
    }
    try await near.send(&batch)
    #expect(batch.sentCount == 32)
    for number in 0..<32 {
      #expect(try await far.receive().bytes == [UInt8](repeating: UInt8(number), count: 900))
    }
    #expect(await near.counters.datagramsSent == 32)
    #expect(await far.counters.datagramsReceived == 32)
  }

  @Test("A batch is received at once")
  func batchReceiving() async throws {
    let near = try await socket()
    let far = try await socket()
    for number in 0..<8 { try await near.send([UInt8(number)], to: try await far.localAddress) }
    var batch = try DatagramBatch(capacity: 16)
    var received = 0
    while received < 8 { received += try await far.receive(into: &batch) }
    #expect(received == 8)
    await #expect(throws: SocketError.timedOut(.receiving)) {
      var batch = try DatagramBatch(capacity: 1)
      try await far.receive(into: &batch, timeout: .milliseconds(1))
    }
  }

  @Test("The error of one datagram in a batch is told with its number")
  func batchErrors() async throws {
    let near = try await socket()
    let far = try await socket()
    let to = try await far.localAddress
    var batch = try DatagramBatch(capacity: 3)
    batch.append([UInt8]([1]).span.octets, to: to)
    batch.append([UInt8](repeating: 0, count: 65_510).span.octets, to: to)
    batch.append([UInt8]([3]).span.octets, to: to)
    await #expect(throws: SocketError.self) { try await near.send(&batch) }
    #expect(batch.sentCount == 1)
    batch.skip()
    try await near.send(&batch)
    #expect(try await far.receive().bytes == [1])
    #expect(try await far.receive().bytes == [3])
  }

  @Test("No datagram is forgotten in thousands of round trips")
  func roundTrips() async throws {
    let near = try await socket()
    let far = try await socket()
    let (nearAddress, farAddress) = (try await near.localAddress, try await far.localAddress)
    let answering = Task {
      for _ in 0..<5000 {
        let datagram = try await far.receive(timeout: .seconds(20))
        try await far.send(datagram.bytes, to: nearAddress)
      }
    }
    for number in 0..<5000 {
      let bytes = [UInt8(number & 255), UInt8(number >> 8)]
      try await near.send(bytes, to: farAddress)
      #expect(try await near.receive(timeout: .seconds(20)).bytes == bytes)
    }
    try await answering.value
  }

  @Test("Sending and receiving batches allocates nothing", .enabled(if: Allocations.areCounted))
  func allocations() async throws {
    let near = try await socket()
    let counting = try await CountingReceiver(try await near.localAddress)
    try await near.send([1], to: counting.address)
    #expect(try await counting.count(rounds: 100) == 0)
  }

  @Test("A burst of 10 000 datagrams is received or counted as dropped")
  func burst() async throws {
    let near = try await socket()
    let far = try await socket { $0.receiveBufferSize = 16 << 20 }
    let to = try await far.localAddress
    let isOver = Lock(false)
    let receiving = Task {
      var numbers: Set<Int> = []
      for try await datagram in far.datagrams {
        guard datagram.bytes.count == 2 else { break }
        numbers.insert(Int(datagram.bytes[0]) << 8 | Int(datagram.bytes[1]))
      }
      isOver.withLock { $0 = true }
      return numbers.count
    }
    for number in 0..<10_000 {
      try await near.send([UInt8(number >> 8), UInt8(number & 255)], to: to)
    }
    // An empty one ends it; it may be dropped too.
    while !isOver.withLock({ $0 }) {
      try await near.send([], to: to)
      await Task.yield()
    }
    let received = try await receiving.value
    #expect(UInt64(received) + (await far.counters.drops) >= 10_000)
    #expect(received > 0)
  }

  @Test("A socket is adopted, and one that is not for datagrams is refused")
  func adoption() async throws {
    let own = try Descriptor.datagramSocket(for: .ip(.loopback4, port: 0))
    try own.bind(to: .ip(.loopback4, port: 0))
    let address = try own.localAddress()
    let adopted = try await DatagramSocket.adopting(own)
    #expect(try await adopted.localAddress == address)
    try await adopted.send([5], to: address)
    #expect(try await adopted.receive().bytes == [5])
    await #expect(throws: SocketError.self) {
      _ = try await DatagramSocket.adopting(try Descriptor.streamSocket(for: address))
    }
    #expect(try await adopted.withDescriptor { $0.number } >= 0)
  }

  @Test("A socket that nobody holds any more leaves no descriptor")
  func letGo() async {
    await #expect(processExitsWith: .success) {
      func make() async throws {
        let socket = try await DatagramSocket.bound(to: .ip(.loopback4, port: 0))
        try await socket.send([1], to: try await socket.localAddress)
        _ = try await socket.receive()
      }
      try await make()
      let growth = DescriptorGrowth()
      for _ in 0..<DescriptorGrowth.many { try await make() }
      // Whatever was posted to the loops before this has been done when it has.
      for _ in 0..<ProcessLimits.processorCount { try await make() }
      #expect(growth.isAbout(0))
    }
  }

  @Test("A host is connected to by its name or its address", arguments: ["localhost", "127.0.0.1"])
  func hosts(host: String) async throws {
    let far = try await socket(.loopback4)
    let port = try #require(try await far.localAddress.port)
    let near = try await DatagramSocket.connected(to: host, port: port)
    #expect(try await near.remoteAddress?.port == port)
    await #expect(throws: SocketError.name("no such host", .badName)) {
      _ = try await DatagramSocket.connected(to: "no such host", port: 1)
    }
  }

  @Test("A socket of both families tells IPv4 as IPv4")
  func bothFamilies() async throws {
    let both = try await socket(.any6) { $0.servesBothFamilies = true }
    let port = try #require(try await both.localAddress.port)
    let near = try await socket(.loopback4)
    try await near.send([1], to: .ip(.loopback4, port: port))
    let datagram = try await both.receive()
    #expect(datagram.source == (try await near.localAddress))
    #expect(datagram.destination == .loopback4)
    try await both.send([2], to: datagram.source)
    #expect(try await near.receive().source == .ip(.loopback4, port: port))
  }

  @Test("Unix datagrams are carried, and a name that is too long is an error")
  func unix() async throws {
    let folder = try TemporaryFolder()
    let far = try await DatagramSocket.bound(to: .unix(.path(folder.file("far"))))
    let near = try await DatagramSocket.connected(to: .unix(.path(folder.file("far"))))
    try await near.send([1, 2])
    #expect(try await far.receive().bytes == [1, 2])
    await #expect(throws: SocketError.self) {
      _ = try await DatagramSocket.bound(to: .unix(.path(String(repeating: "a", count: 200))))
    }
  }

  @Test("What does not exist is named in the error")
  func badInput() async throws {
    let near = try await socket()
    do {
      try await near.join(.v4(0xe000_00fb), onInterface: "nothing-7")
      Issue.record("there is no such interface")
    } catch { #expect("\(error)".contains("nothing-7")) }
    do {
      try await near.join(MulticastGroup(.loopback4))
      Issue.record("that is no group")
    } catch { #expect("\(error)".contains("127.0.0.1")) }
    await #expect(throws: SocketError.self) {
      _ = try await self.socket { $0.device = "nothing-7" }
    }
    await #expect(throws: SocketError.self) { try await near.send([1]) }
  }

  @Test("Two sockets share no port unless they say so")
  func ports() async throws {
    let first = try await socket()
    let address = try await first.localAddress
    await #expect(throws: SocketError.system(.addressInUse, doing: "binding to \(address)")) {
      _ = try await DatagramSocket.bound(to: address)
    }
    var options = DatagramOptions()
    options.reusesPort = true
    let shared = try await DatagramSocket.bound(to: .ip(.loopback4, port: 0), options: options)
    let again = try await DatagramSocket.bound(to: try await shared.localAddress, options: options)
    #expect(try await again.localAddress == (try await shared.localAddress))
  }
}

/// Sends to its own socket and receives, on the loop of the socket, and counts allocations there.
private actor CountingReceiver {
  private let socket: DatagramSocket
  nonisolated let address: SocketAddress

  init(_ other: SocketAddress) async throws {
    socket = try await DatagramSocket.bound(to: .ip(.loopback4, port: 0))
    address = try await socket.localAddress
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe socket.unownedExecutor
  }

  func count(rounds: Int) async throws -> UInt64 {
    var batch = try DatagramBatch(capacity: 8)
    var received = try DatagramBatch(capacity: 8)
    let bytes = [UInt8](repeating: 1, count: 100)
    var before: UInt64 = 0
    for round in 0..<rounds {
      // The first rounds make what stays.
      if round == 10 { before = Allocations.count }
      for _ in 0..<8 { batch.append(bytes.span.octets, to: address) }
      try await socket.send(&batch)
      var count = 0
      while count < 8 { count += try await socket.receive(into: &received, limit: 3) }
    }
    return Allocations.count - before
  }
}

extension Result {
  fileprivate var failure: Failure? {
    switch self {
    case .success: nil
    case .failure(let error): error
    }
  }
}
