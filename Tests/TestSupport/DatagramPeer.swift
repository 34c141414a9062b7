internal import Glibc
public import Kernel

/// A UDP socket for a test's side of an exchange. No wait lasts longer than 20 seconds.
public final class DatagramPeer: Sendable {
  private let descriptor: Descriptor

  /// Binds a free port, or the one in `address`.
  public init(at address: SocketAddress = .ip(.loopback4, port: 0)) throws {
    descriptor = try Descriptor.datagramSocket(for: address)
    try descriptor.set(.receiveBuffer, 4_194_304)
    try descriptor.bind(to: address)
  }

  /// The socket's own address.
  public var address: SocketAddress {
    get throws { try descriptor.localAddress() }
  }

  /// Sends one datagram.
  public func send(_ bytes: [UInt8], to address: SocketAddress) throws {
    guard try descriptor.send(datagram: bytes.span.octets, to: address) else {
      throw Errno.noBufferSpace
    }
  }

  /// Sends a text as one datagram.
  public func send(_ text: String, to address: SocketAddress) throws {
    try send(Array(text.utf8), to: address)
  }

  /// True when a datagram waits, or comes within `milliseconds`.
  public func hasInput(within milliseconds: Int32 = 0) -> Bool {
    var entry = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&entry, 1, milliseconds) == 1
  }

  /// The next datagram and who sent it.
  public func receive() throws -> (bytes: [UInt8], source: SocketAddress) {
    guard hasInput(within: 20_000) else { throw Errno.timedOut }
    var batch = try DatagramBatch(capacity: 1)
    guard try batch.receive(from: descriptor) == 1 else { throw Errno.timedOut }
    var bytes: [UInt8] = []
    bytes.append(batch.bytes(0))
    return (bytes, batch.header(0).source)
  }

  /// The next datagram as text and who sent it.
  public func receiveText() throws -> (text: String, source: SocketAddress) {
    let (bytes, source) = try receive()
    return (String(decoding: bytes, as: UTF8.self), source)
  }

  /// Takes a datagram and sends it back, allocating nothing; `turn` makes it come.
  public func echo(_ block: borrowing DatagramBlock, _ turn: () throws -> Void) throws {
    while !hasInput() { try turn() }
    try block.echo(on: descriptor.number)
  }

  /// Sends a datagram to a place, allocating nothing.
  public func send(
    _ count: Int, of block: borrowing DatagramBlock, to address: borrowing DatagramPlace
  ) throws {
    try address.send(block, count: count, from: descriptor.number)
  }

  /// Takes a datagram of `count` bytes, allocating nothing; `turn` makes it come.
  public func take(
    _ count: Int, into block: borrowing DatagramBlock, _ turn: () throws -> Void
  ) throws {
    while !hasInput() { try turn() }
    try block.receive(count, from: descriptor.number)
  }
}

/// Memory for one datagram.
@safe public struct DatagramBlock: ~Copyable {
  fileprivate let bytes = UnsafeMutableRawPointer.allocate(byteCount: 65_536, alignment: 16)

  /// Takes the memory, all zero.
  public init() { unsafe memset(bytes, 0, 65_536) }

  deinit { unsafe bytes.deallocate() }

  fileprivate borrowing func receive(_ count: Int, from number: Int32) throws {
    guard unsafe recv(number, bytes, 65_536, 0) == count else { throw POSIXFailure(ENODATA) }
  }

  fileprivate borrowing func echo(on number: Int32) throws {
    var peer = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let sent = unsafe withUnsafeMutablePointer(to: &peer) { peer in
      unsafe peer.withMemoryRebound(to: sockaddr.self, capacity: 1) { peer in
        let count = unsafe recvfrom(number, bytes, 65_536, 0, peer, &length)
        return unsafe sendto(number, bytes, max(0, count), 0, peer, length)
      }
    }
    guard sent >= 0 else { throw POSIXFailure(errno) }
  }
}

/// An IPv4 address to send to, in the kernel's form.
@safe public struct DatagramPlace: ~Copyable {
  private var address = sockaddr_in()

  /// Takes the address's bytes.
  public init(_ address: SocketAddress) {
    let form = address.kernelBytes
    unsafe withUnsafeMutableBytes(of: &self.address) { bytes in
      unsafe bytes.copyBytes(from: form.prefix(bytes.count))
    }
  }

  fileprivate borrowing func send(
    _ block: borrowing DatagramBlock, count: Int, from number: Int32
  ) throws {
    var address = address
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let payload = unsafe block.bytes
    let sent = unsafe withUnsafePointer(to: &address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe sendto(number, payload, count, 0, address, size)
      }
    }
    guard sent == count else { throw POSIXFailure(errno) }
  }
}
