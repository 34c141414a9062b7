internal import CKernel
internal import Glibc

/// What a non-blocking transfer did.
public enum Transfer: Equatable, Sendable {
  /// So many bytes moved, at least one.
  case moved(Int)
  /// Nothing to read, or no room to write: wait for readiness.
  case wouldBlock
  /// The stream has ended (reading only).
  case ended
}

extension Descriptor {
  /// Reads what is there into `bytes`, which must have room for `count` ≥ 1.
  public borrowing func receive(
    into bytes: UnsafeMutableRawPointer, count: Int
  ) throws(Errno) -> Transfer {
    try transfer(unsafe adit_receive(number, bytes, count))
  }

  /// Reads as `receive` does and leaves the bytes in the socket.
  public borrowing func peek(
    into bytes: UnsafeMutableRawPointer, count: Int
  ) throws(Errno) -> Transfer {
    try transfer(unsafe adit_peek(number, bytes, count))
  }

  /// Writes up to `count` ≥ 1 bytes; fewer may be taken. Never raises SIGPIPE.
  public borrowing func send(
    _ bytes: UnsafeRawPointer, count: Int
  ) throws(Errno) -> Transfer {
    try transfer(unsafe adit_send(number, bytes, count))
  }

  /// Writes one byte as TCP's urgent one.
  public borrowing func sendUrgent(_ byte: UInt8) throws(Errno) -> Transfer {
    try transfer(adit_send_urgent(number, byte))
  }

  /// True when the next byte to read is TCP's urgent one; a read of more stops in front of it.
  public borrowing func isAtUrgentMark() throws(Errno) -> Bool {
    try check(adit_is_at_urgent_mark(number)) == 1
  }

  /// Shuts down writing: the peer reads an end of stream after every byte sent before.
  public borrowing func shutdownWrite() throws(Errno) {
    _ = try check(adit_shutdown_write(number))
  }

  /// Bytes sent that the peer's kernel has not acknowledged.
  public borrowing func unacknowledged() throws(Errno) -> Int {
    Int(try check(adit_unacknowledged(number)))
  }

  /// True while the peer of a TCP connection has closed its receive window.
  public borrowing func peerWindowIsClosed() throws(Errno) -> Bool {
    try check(adit_peer_window_is_closed(number)) == 1
  }
}

/// The result of a read, a write or a splice as a transfer.
func transfer(_ result: Int) throws(Errno) -> Transfer {
  if result > 0 { return .moved(result) }
  if result == 0 { return .ended }
  if result == -Int(EAGAIN) { return .wouldBlock }
  throw Errno(rawValue: Int32(-result))
}

/// A pipe that carries bytes between two sockets without copying them to this process.
public struct SplicePipe: ~Copyable, Sendable {
  private let readEnd: Descriptor
  private let writeEnd: Descriptor

  /// Descriptors that a pipe takes.
  public static let descriptorCount = 2

  /// Opens a pipe and asks for `capacity` bytes, then for a quarter of that; a kernel that gives
  /// neither gives what it has.
  public init(capacity: Int) throws(Errno) {
    var ends: (Int32, Int32) = (-1, -1)
    let result = unsafe withUnsafeMutableBytes(of: &ends) { bytes in
      unsafe adit_pipe(bytes.baseAddress?.assumingMemoryBound(to: Int32.self))
    }
    _ = try check(result)
    readEnd = Descriptor(adopting: ends.0)
    writeEnd = Descriptor(adopting: ends.1)
    if adit_pipe_set_capacity(ends.1, Int32(capacity)) < 0 {
      _ = adit_pipe_set_capacity(ends.1, Int32(capacity / 4))
    }
  }

  /// A number that no other open pipe has: what a test knows it by.
  public var identity: Int32 { readEnd.number }

  /// Bytes that the pipe's slots hold when each carries a page.
  public borrowing func capacity() throws(Errno) -> Int {
    Int(try check(adit_pipe_capacity(writeEnd.number)))
  }

  /// Moves up to `count` bytes from a socket into the pipe.
  public borrowing func fill(
    from source: borrowing Descriptor, count: Int
  ) throws(Errno) -> Transfer {
    try transfer(adit_splice(source.number, writeEnd.number, count))
  }

  /// Moves up to `count` bytes from the pipe to a socket.
  public borrowing func drain(
    to sink: borrowing Descriptor, count: Int
  ) throws(Errno) -> Transfer {
    try transfer(adit_splice(readEnd.number, sink.number, count))
  }
}

/// Anonymous memory in chunks of one size, which takes no page before it is used and can be given
/// back to the kernel chunk by chunk.
@safe public struct ChunkMemory: ~Copyable, @unchecked Sendable {  // guard: the loop that owns it.
  private let base: UnsafeMutableRawPointer
  /// Bytes of a chunk.
  public let chunkSize: Int
  /// Chunks in all.
  public let count: Int

  /// Reserves `count` chunks of `chunkSize` bytes, a multiple of the page size.
  public init(chunkSize: Int, count: Int) throws(Errno) {
    guard let base = unsafe adit_reserve(chunkSize * count) else { throw .outOfMemory }
    unsafe self.base = unsafe base
    self.chunkSize = chunkSize
    self.count = count
  }

  deinit {
    unsafe adit_unreserve(base, chunkSize * count)
  }

  /// The chunk's first byte.
  public borrowing func address(of chunk: Int) -> UnsafeMutableRawPointer {
    precondition(chunk >= 0 && chunk < count, "no such chunk")
    return unsafe base + chunk * chunkSize
  }

  /// Gives the chunk's pages back to the kernel; it reads as zeroes afterwards.
  public borrowing func forget(_ chunk: Int) {
    unsafe adit_forget(address(of: chunk), chunkSize)
  }
}
