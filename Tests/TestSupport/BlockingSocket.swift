internal import Glibc
public import Kernel

/// A plain blocking socket for a test's side of a connection. No wait lasts longer than 20 seconds.
public final class BlockingSocket: Sendable {
  private let descriptor: Descriptor

  /// How a stream ended.
  public enum End: Equatable, Sendable {
    /// As its peer meant it.
    case endOfStream
    /// By a reset.
    case reset
    /// Not yet, after a long time or at the limit of bytes.
    case open
  }

  private init(_ descriptor: consuming Descriptor) {
    self.descriptor = descriptor
  }

  /// Connects to a listener on this machine.
  public static func connected(to address: SocketAddress) throws -> BlockingSocket {
    let descriptor = try Descriptor.streamSocket(for: address)
    _ = try descriptor.connect(to: address)
    let socket = BlockingSocket(descriptor)
    socket.block()
    _ = socket.waits(for: POLLOUT)
    if let error = try socket.descriptor.takeError() { throw error }
    return socket
  }

  /// Connects to a listener whose target cannot be reached and tells how that ends, with or after
  /// the connection: a reset may come before this thread has seen that it was connected.
  public static func refusal(by address: SocketAddress) throws -> End {
    do {
      return try connected(to: address).receiveAll().end
    } catch let error as Errno where error == .connectionReset {
      return .reset
    }
  }

  /// Listens on a free port of 127.0.0.1, or at another address.
  public static func listening(
    at address: SocketAddress = .ip(.loopback4, port: 0)
  ) throws -> BlockingSocket {
    let descriptor = try Descriptor.streamSocket(for: address)
    try descriptor.bind(to: address)
    try descriptor.listen(backlog: 1024)
    return BlockingSocket(descriptor)
  }

  /// The socket's own address.
  public var address: SocketAddress {
    get throws { try descriptor.localAddress() }
  }

  /// The address of who is at the other end.
  public var peerAddress: SocketAddress {
    get throws { try descriptor.remoteAddress() }
  }

  /// The descriptor's number, for a child to inherit.
  public var number: Int32 { descriptor.number }

  /// Waits for a connection.
  public func accept() throws -> BlockingSocket {
    guard waits(for: POLLIN), let accepted = try descriptor.accept() else { throw Errno.timedOut }
    let socket = BlockingSocket(accepted.descriptor())
    socket.block()
    return socket
  }

  /// True when a connection or bytes wait, or come within `milliseconds`.
  public func hasInput(within milliseconds: Int32 = 0) -> Bool {
    waits(for: POLLIN, milliseconds: milliseconds)
  }

  /// Sends all bytes of a text.
  public func send(_ text: String) throws { try send(Array(text.utf8)) }

  /// Sends all bytes.
  public func send(_ bytes: [UInt8]) throws {
    var sent = 0
    while sent < bytes.count {
      let count = unsafe bytes[sent...].withUnsafeBytes {
        unsafe Glibc.send(descriptor.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw POSIXFailure(errno) }
      sent += count
    }
  }

  /// Sends TCP's urgent byte.
  public func sendUrgent(_ byte: UInt8) throws {
    var byte = byte
    let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_OOB)
    guard unsafe Glibc.send(descriptor.number, &byte, 1, flags) == 1 else {
      throw POSIXFailure(errno)
    }
  }

  /// Reads to the end or to `limit` bytes: what came, as text, and how it ended.
  public func receive(limit: Int = .max) -> (text: String, end: End) {
    let (bytes, end) = receiveAll(limit: limit)
    return (String(decoding: bytes, as: UTF8.self), end)
  }

  /// Reads exactly `count` bytes, fewer when the stream ends before.
  public func receive(_ count: Int) -> [UInt8] { receiveAll(limit: count).bytes }

  /// Reads to the end or to `limit` bytes: what came, and how it ended.
  public func receiveAll(limit: Int = .max) -> (bytes: [UInt8], end: End) {
    var received: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while received.count < limit, waits(for: POLLIN) {
      let wanted = min(buffer.count, limit - received.count)
      let count = unsafe recv(descriptor.number, &buffer, wanted, 0)
      if count > 0 {
        received += buffer[..<count]
        continue
      }
      return (received, count == 0 ? .endOfStream : errno == ECONNRESET ? .reset : .open)
    }
    return (received, .open)
  }

  /// Reads exactly `count` bytes and forgets them, allocating nothing; `turn` makes them come.
  public func take(_ count: Int, _ turn: () throws -> Void) throws {
    var block = InlineArray<4096, UInt8>(repeating: 0)
    var missing = count
    while missing > 0 {
      while !hasInput() { try turn() }
      let wanted = min(missing, 4096)
      let received = unsafe withUnsafeMutableBytes(of: &block) { bytes in
        unsafe recv(descriptor.number, bytes.baseAddress, wanted, 0)
      }
      guard received > 0 else { throw POSIXFailure(received < 0 ? errno : ENODATA) }
      missing -= received
    }
  }

  /// Makes the close of this socket a reset.
  public func resetOnClose() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    unsafe setsockopt(
      descriptor.number, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
  }

  /// Ends the stream and goes on reading.
  public func endStream() throws { try descriptor.shutdownWrite() }

  private func block() {
    let flags = fcntl(descriptor.number, F_GETFL)
    _ = fcntl(descriptor.number, F_SETFL, flags & ~O_NONBLOCK)
  }

  private func waits(for events: Int32, milliseconds: Int32 = 20_000) -> Bool {
    var entry = pollfd(fd: descriptor.number, events: Int16(events), revents: 0)
    return unsafe poll(&entry, 1, milliseconds) == 1
  }
}
