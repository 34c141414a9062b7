internal import Kernel

/// The door to the callers' memory, which Apple's interfaces hand over as a pointer.
extension ByteStore {
  /// Moves the first `count` bytes to where a caller wants them, who says that there is room.
  mutating func move(_ count: Int, to memory: UnsafeMutablePointer<UInt8>) {
    precondition(count <= self.count, "more is moved than waits")
    // The source is the store's own array, of at least `start + count` bytes.
    unsafe bytes.withUnsafeBufferPointer { source in
      let part = unsafe UnsafeBufferPointer(rebasing: source[start..<start + count])
      let room = unsafe UnsafeMutableBufferPointer(start: memory, count: count)
      _ = unsafe room.update(fromContentsOf: part)
    }
    removeFirst(count)
  }

  /// Puts `count` bytes of a caller's memory at the end.
  mutating func append(_ memory: UnsafePointer<UInt8>, count: Int) {
    // The caller says that so many bytes are there.
    unsafe append(RawSpan(_unsafeStart: memory, byteCount: count))
  }
}
