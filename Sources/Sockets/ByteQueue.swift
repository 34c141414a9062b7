internal import Kernel

/// Bytes that wait, first in first out. It holds memory only while it holds bytes.
package struct ByteQueue: ~Copyable {
  private var bytes: [UInt8] = []
  private var start = 0

  /// Makes an empty queue.
  package init() {}

  /// Bytes that wait.
  package var count: Int { bytes.count - start }

  /// True when none wait.
  package var isEmpty: Bool { start == bytes.count }

  /// Puts a copy of bytes at the end.
  package mutating func append(_ new: RawSpan) {
    if start > 0, start >= bytes.count / 2 {
      bytes.removeSubrange(..<start)
      start = 0
    }
    bytes.append(new)
  }

  /// Calls `body` with all bytes that wait.
  package borrowing func withBytes<Value, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try body(bytes.span.octets.extracting(start..<bytes.count))
  }

  /// How many bytes go to the end of the first `pattern`, searched from an offset on and within the
  /// first `limit` bytes; nil when it is not there.
  package borrowing func end(of pattern: [UInt8], from start: Int, limit: Int) -> Int? {
    let end = self.start + min(limit, count)
    let found = bytes.span.octets.extracting(self.start..<end)
      .firstOffset(of: pattern.span.octets, from: start)
    return found.map { $0 + pattern.count }
  }

  /// Forgets the first bytes.
  package mutating func removeFirst(_ count: Int) {
    precondition(count <= self.count, "more is removed than waits")
    start += count
    if start == bytes.count {
      bytes = []
      start = 0
    }
  }

  /// Takes the first bytes out.
  package mutating func take(_ count: Int) -> [UInt8] {
    precondition(count <= self.count, "more is taken than waits")
    if start == 0, count == bytes.count {
      defer { bytes = [] }
      return bytes
    }
    defer { removeFirst(count) }
    return Array(bytes[start..<start + count])
  }
}
