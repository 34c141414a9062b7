public import Kernel

/// A chunk of a pool's memory. Its borrower gives it back to the pool; dropping it is our mistake.
@safe public struct Chunk: ~Copyable {
  let index: Int32
  private let address: UnsafeMutableRawPointer
  /// Bytes that the chunk holds.
  public let size: Int

  deinit {
    precondition(index < 0, "a chunk was dropped instead of being given back to its pool")
  }

  init(index: Int32, address: UnsafeMutableRawPointer, size: Int) {
    self.index = index
    unsafe self.address = address
    self.size = size
  }

  /// Reads up to `count` bytes from a socket to the beginning of the chunk.
  public borrowing func receive(
    from socket: borrowing Descriptor, count: Int
  ) throws(Errno) -> Transfer {
    precondition(count <= size, "more is asked for than the chunk holds")
    return try unsafe socket.receive(into: address, count: count)
  }

  /// Reads as `receive` does, up to the chunk's size, and leaves the bytes in the socket.
  public borrowing func peek(from socket: borrowing Descriptor) throws(Errno) -> Transfer {
    try unsafe socket.peek(into: address, count: size)
  }

  /// Writes `count` bytes from `offset` on to a socket; fewer may be taken.
  public borrowing func send(
    to socket: borrowing Descriptor, offset: Int, count: Int
  ) throws(Errno) -> Transfer {
    precondition(offset >= 0 && count >= 0 && offset + count <= size, "bytes outside the chunk")
    return try unsafe socket.send(address + offset, count: count)
  }

  /// Calls `body` with the chunk's bytes, for what is not a transfer.
  public borrowing func withBytes<Result>(_ body: (UnsafeMutableRawBufferPointer) -> Result)
    -> Result
  {
    unsafe body(UnsafeMutableRawBufferPointer(start: address, count: size))
  }

  consuming func surrender() -> Int32 {
    let index = self.index
    discard self
    return index
  }
}

/// Buffers of one size for bytes that wait. Borrowed only while they hold bytes; the last one given
/// back is the next one borrowed, so that a busy loop stays in one warm chunk.
@safe public struct ChunkPool: ~Copyable {
  private let memory: ChunkMemory
  private var free: [Int32]
  private var untouched: Int32 = 0
  /// Chunks lent out.
  public private(set) var lent = 0
  /// Requests refused because the pool was empty.
  public private(set) var refusals: UInt64 = 0

  /// Reserves address space for `count` chunks; memory is taken as they are used.
  public init(chunkSize: Int, count: Int) throws(Errno) {
    memory = try ChunkMemory(chunkSize: chunkSize, count: count)
    free = []
    free.reserveCapacity(count)
  }

  /// Lends a chunk, nil when all are lent.
  public mutating func take() -> Chunk? {
    let index: Int32
    if let reused = free.popLast() {
      index = reused
    } else if untouched < memory.count {
      index = untouched
      untouched += 1
    } else {
      refusals += 1
      return nil
    }
    lent += 1
    return unsafe Chunk(
      index: index, address: memory.address(of: Int(index)), size: memory.chunkSize)
  }

  /// Takes a chunk back.
  public mutating func give(_ chunk: consuming Chunk) {
    lent -= 1
    free.append(chunk.surrender())
  }

  /// Gives the memory of every chunk that is not lent back to the kernel.
  public mutating func trim() {
    for index in free { memory.forget(Int(index)) }
  }
}
