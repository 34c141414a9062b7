public import Kernel
public import Reactor

/// The system calls of the stream relay, as a seam: `LinuxStreams` makes them, tests script them.
///
/// Each call is non-blocking. One that would block says so in its result; what it throws belongs to
/// the descriptor alone.
public protocol StreamSystem: AnyObject {
  /// accept4(2); nil when no connection waits.
  func accept(_ listener: borrowing Descriptor) throws(Errno) -> Accepted?
  /// socket(2) for a stream to `address`.
  func open(for address: SocketAddress) throws(Errno) -> Descriptor
  /// bind(2) of a socket that is about to connect.
  func bind(_ socket: borrowing Descriptor, to address: SocketAddress) throws(Errno)
  /// connect(2).
  func connect(
    _ socket: borrowing Descriptor, to address: SocketAddress
  ) throws(Errno) -> ConnectProgress
  /// SO_ERROR of a connection attempt that has ended.
  func takeError(_ socket: borrowing Descriptor) throws(Errno) -> Errno?
  /// recv(2) of up to `count` bytes to the beginning of `chunk`.
  func receive(
    _ socket: borrowing Descriptor, into chunk: borrowing Chunk, count: Int
  ) throws(Errno) -> Transfer
  /// recv(2) that leaves the bytes in the socket.
  func peek(
    _ socket: borrowing Descriptor, into chunk: borrowing Chunk
  ) throws(Errno) -> Transfer
  /// send(2) of `count` bytes of `chunk` from `offset` on.
  func send(
    _ socket: borrowing Descriptor, from chunk: borrowing Chunk, offset: Int, count: Int
  ) throws(Errno) -> Transfer
  /// pipe2(2).
  func makePipe(capacity: Int) throws(Errno) -> SplicePipe
  /// splice(2) from a socket.
  func fill(
    _ pipe: borrowing SplicePipe, from socket: borrowing Descriptor, count: Int
  ) throws(Errno) -> Transfer
  /// splice(2) to a socket.
  func drain(
    _ pipe: borrowing SplicePipe, to socket: borrowing Descriptor, count: Int
  ) throws(Errno) -> Transfer
  /// shutdown(2) of writing.
  func shutdownWrite(_ socket: borrowing Descriptor) throws(Errno)
  /// SIOCOUTQ.
  func unacknowledged(_ socket: borrowing Descriptor) throws(Errno) -> Int
  /// True while the peer takes nothing although it is alive: its window is closed.
  func peerWindowIsClosed(_ socket: borrowing Descriptor) throws(Errno) -> Bool
  /// A numeric option, or several, of a connected socket.
  func set(
    _ socket: borrowing Descriptor, _ option: SocketOption, _ value: Int32
  ) throws(Errno)
  /// Keepalive probes.
  func set(_ socket: borrowing Descriptor, _ keepalive: Keepalive) throws(Errno)
  /// getsockname(2).
  func localAddress(_ socket: borrowing Descriptor) throws(Errno) -> SocketAddress
  /// close(2).
  func close(_ socket: consuming Descriptor)
  /// close(2) so that a TCP peer sees a reset.
  func reset(_ socket: consuming Descriptor)
}

/// The kernel itself. It has no state, so every loop may share it.
final class LinuxStreams: StreamSystem, Sendable {

  func accept(_ listener: borrowing Descriptor) throws(Errno) -> Accepted? {
    try listener.accept()
  }

  func open(for address: SocketAddress) throws(Errno) -> Descriptor {
    let socket = try Descriptor.streamSocket(for: address)
    if case .ip = address { try socket.set(.urgentInline, 1) }
    return socket
  }

  func bind(_ socket: borrowing Descriptor, to address: SocketAddress) throws(Errno) {
    // A port that was asked for may have connections that linger, to other peers.
    try socket.set(.reuseAddress, 1)
    try socket.bind(to: address)
  }

  func connect(
    _ socket: borrowing Descriptor, to address: SocketAddress
  ) throws(Errno) -> ConnectProgress {
    try socket.connect(to: address)
  }

  func takeError(_ socket: borrowing Descriptor) throws(Errno) -> Errno? {
    try socket.takeError()
  }

  func receive(
    _ socket: borrowing Descriptor, into chunk: borrowing Chunk, count: Int
  ) throws(Errno) -> Transfer {
    try chunk.receive(from: socket, count: count)
  }

  func peek(
    _ socket: borrowing Descriptor, into chunk: borrowing Chunk
  ) throws(Errno) -> Transfer {
    try chunk.peek(from: socket)
  }

  func send(
    _ socket: borrowing Descriptor, from chunk: borrowing Chunk, offset: Int, count: Int
  ) throws(Errno) -> Transfer {
    try chunk.send(to: socket, offset: offset, count: count)
  }

  func makePipe(capacity: Int) throws(Errno) -> SplicePipe {
    let pipe = try SplicePipe(capacity: capacity)
    // Past fs.pipe-user-pages-soft the kernel gives pipes of a page or two; copying beats those.
    guard try pipe.capacity() >= RelayLimits.leastPipeCapacity else { throw .noBufferSpace }
    return pipe
  }

  func fill(
    _ pipe: borrowing SplicePipe, from socket: borrowing Descriptor, count: Int
  ) throws(Errno) -> Transfer {
    try pipe.fill(from: socket, count: count)
  }

  func drain(
    _ pipe: borrowing SplicePipe, to socket: borrowing Descriptor, count: Int
  ) throws(Errno) -> Transfer {
    try pipe.drain(to: socket, count: count)
  }

  func shutdownWrite(_ socket: borrowing Descriptor) throws(Errno) {
    try socket.shutdownWrite()
  }

  func unacknowledged(_ socket: borrowing Descriptor) throws(Errno) -> Int {
    try socket.unacknowledged()
  }

  func peerWindowIsClosed(_ socket: borrowing Descriptor) throws(Errno) -> Bool {
    try socket.peerWindowIsClosed()
  }

  func set(
    _ socket: borrowing Descriptor, _ option: SocketOption, _ value: Int32
  ) throws(Errno) {
    try socket.set(option, value)
  }

  func set(_ socket: borrowing Descriptor, _ keepalive: Keepalive) throws(Errno) {
    try socket.set(keepalive)
  }

  func localAddress(_ socket: borrowing Descriptor) throws(Errno) -> SocketAddress {
    try socket.localAddress()
  }

  func close(_ socket: consuming Descriptor) {
    // The owner's end closes it.
    _ = consume socket
  }

  func reset(_ socket: consuming Descriptor) {
    socket.reset()
  }
}
