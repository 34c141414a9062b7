internal import Foundation

extension Data {
  /// Copies bytes.
  init(_ octets: RawSpan) {
    self = unsafe octets.withUnsafeBytes { region in unsafe Data(region) }
  }

  /// Puts a copy of bytes at the end.
  mutating func append(_ octets: RawSpan) {
    unsafe octets.withUnsafeBytes { region in
      guard let base = region.baseAddress else { return }
      unsafe append(base.assumingMemoryBound(to: UInt8.self), count: region.count)
    }
  }
}

extension MutableRawSpan {
  /// Copies bytes to an offset, where there is room for them.
  @_lifetime(self: copy self)
  mutating func put(_ octets: RawSpan, at offset: Int) {
    precondition(offset >= 0 && offset + octets.byteCount <= byteCount, "bytes outside the span")
    unsafe withUnsafeMutableBytes { room in
      unsafe octets.withUnsafeBytes { region in
        unsafe UnsafeMutableRawBufferPointer(rebasing: room[offset...]).copyMemory(from: region)
      }
    }
  }
}

extension ReadDestination {
  /// Puts the bytes where the caller wants them; the buffer grows as it needs to.
  func put(_ data: Data) {
    guard !data.isEmpty else { return }
    if buffer.length < offset + data.count { buffer.length = offset + data.count }
    // Not by `replaceBytes`, which inserts them here.
    unsafe data.withUnsafeBytes { region in
      guard let base = region.baseAddress else { return }
      unsafe (buffer.mutableBytes + offset).copyMemory(from: base, byteCount: region.count)
    }
  }
}
