import Glibc
import Kernel
import Testing

/// A plain blocking socket for the test's side of a connection. Every wait ends after 20 seconds.
final class BlockingSocket: Sendable {
  private let descriptor: Descriptor

  /// How a stream ended.
  enum End: Equatable { case endOfStream, reset, timedOut }

  private init(_ descriptor: consuming Descriptor) {
    self.descriptor = descriptor
  }

  /// Connects to a listener on this machine.
  static func connected(to address: SocketAddress) throws -> BlockingSocket {
    let descriptor = try Descriptor.streamSocket(for: address)
    _ = try descriptor.connect(to: address)
    let socket = BlockingSocket(descriptor)
    socket.block()
    _ = socket.poll(POLLOUT)
    if let error = try socket.descriptor.takeError() { throw error }
    return socket
  }

  /// Listens on a free port of 127.0.0.1, or at a unix address.
  static func listening(at address: SocketAddress = .ip(.loopback4, port: 0)) throws
    -> BlockingSocket
  {
    let descriptor = try Descriptor.streamSocket(for: address)
    try descriptor.bind(to: address)
    try descriptor.listen(backlog: 1024)
    return BlockingSocket(descriptor)
  }

  var address: SocketAddress {
    get throws { try descriptor.localAddress() }
  }

  func accept() throws -> BlockingSocket {
    guard poll(POLLIN), let accepted = try descriptor.accept() else { throw Errno.timedOut }
    let socket = BlockingSocket(accepted.descriptor())
    socket.block()
    return socket
  }

  func send(_ bytes: [UInt8]) throws {
    var sent = 0
    while sent < bytes.count {
      let rest = bytes[sent...]
      let count = unsafe rest.withUnsafeBytes {
        unsafe Glibc.send(descriptor.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw Errno(rawValue: errno) }
      sent += count
    }
  }

  func sendUrgent(_ byte: UInt8) throws {
    var byte = byte
    let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_OOB)
    guard unsafe Glibc.send(descriptor.number, &byte, 1, flags) == 1 else {
      throw Errno(rawValue: errno)
    }
  }

  /// Reads to the end: what came, and how it ended.
  func receiveAll(limit: Int = .max) -> (bytes: [UInt8], end: End) {
    var received: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while received.count < limit {
      guard poll(POLLIN) else { return (received, .timedOut) }
      let wanted = min(buffer.count, limit - received.count)
      let count = unsafe recv(descriptor.number, &buffer, wanted, 0)
      if count == 0 { return (received, .endOfStream) }
      if count < 0 { return (received, errno == ECONNRESET ? .reset : .timedOut) }
      received += buffer[..<count]
    }
    return (received, .timedOut)
  }

  /// Reads exactly `count` bytes and forgets them, allocating nothing; `turn` makes them come.
  func take(_ count: Int, _ turn: () throws -> Void) rethrows {
    var block = InlineArray<4096, UInt8>(repeating: 0)
    var missing = count
    while missing > 0 {
      while !hasInput { try turn() }
      let wanted = min(missing, 4096)
      let received = unsafe withUnsafeMutableBytes(of: &block) { bytes in
        unsafe recv(descriptor.number, bytes.baseAddress, wanted, 0)
      }
      guard received > 0 else {
        Issue.record("the stream ended \(missing) bytes early")
        return
      }
      missing -= received
    }
  }

  /// Reads exactly `count` bytes, fewer when the stream ends before.
  func receive(_ count: Int) -> [UInt8] { receiveAll(limit: count).bytes }

  func endStream() throws { try descriptor.shutdownWrite() }

  /// Makes the close of this socket a reset.
  func resetOnClose() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    unsafe setsockopt(
      descriptor.number, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
  }

  func set(_ option: SocketOption, _ value: Int32) throws { try descriptor.set(option, value) }

  private func block() {
    let flags = fcntl(descriptor.number, F_GETFL)
    _ = fcntl(descriptor.number, F_SETFL, flags & ~O_NONBLOCK)
  }

  /// True when bytes wait.
  var hasInput: Bool { poll(POLLIN, milliseconds: 0) }

  private func poll(_ events: Int32, milliseconds: Int32 = 20_000) -> Bool {
    var entry = pollfd(fd: descriptor.number, events: Int16(events), revents: 0)
    return unsafe Glibc.poll(&entry, 1, milliseconds) == 1
  }
}

/// Work on a thread of its own: a blocking call on a thread of Swift's pool would keep others from
/// running.
struct Background {
  private let thread: KernelThread

  init(_ body: @escaping @Sendable () throws -> Void) throws {
    thread = try KernelThread(name: "test-peer") {
      do { try body() } catch { Issue.record(error) }
    }
  }

  func join() { thread.join() }
}
