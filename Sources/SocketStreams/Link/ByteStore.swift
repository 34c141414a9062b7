internal import Kernel
internal import Sockets

/// Bytes that wait, first in first out. It holds memory only while it holds bytes.
struct ByteStore {
  private(set) var bytes: [UInt8] = []
  private(set) var start = 0

  var count: Int { bytes.count - start }

  /// Puts a copy of bytes at the end.
  mutating func append(_ new: RawSpan) {
    if start > 0, start >= bytes.count / 2 {
      bytes.removeSubrange(..<start)
      start = 0
    }
    bytes.append(new)
  }

  /// Takes everything out.
  mutating func takeAll() -> ByteStore {
    defer { self = ByteStore() }
    return self
  }

  /// Forgets the first bytes.
  mutating func removeFirst(_ count: Int) {
    precondition(count <= self.count, "more is removed than waits")
    start += count
    if start == bytes.count { self = ByteStore() }
  }

  /// Writes what there is room for, and keeps everything.
  func write(to transport: Transport) throws(SocketError) -> Transfer {
    try transport.write(bytes.span.octets.extracting(droppingFirst: start))
  }
}
