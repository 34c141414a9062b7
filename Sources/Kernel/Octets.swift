internal import CKernel

extension MutableSpan where Element == UInt8 {
  /// The same bytes as a mutable raw span; `MutableSpan.mutableBytes` is marked unsafe in Swift
  /// 6.3.
  public var mutableOctets: MutableRawSpan {
    @_lifetime(&self) mutating get { unsafe mutableBytes }
  }
}

extension MutableRawSpan {
  /// The first `count` bytes, or all where there are fewer. Swift 6.3 has this under a name that
  /// begins with an underscore.
  @_lifetime(&self)
  public mutating func beginning(_ count: Int) -> MutableRawSpan {
    _mutatingExtracting(first: count)
  }
}

extension Span where Element == UInt8 {
  /// The same bytes as a raw span. `Span.bytes` is marked unsafe in Swift 6.3
  /// (swiftlang/swift #86431); for bytes there is nothing unsafe in it.
  public var octets: RawSpan {
    @_lifetime(copy self) get { unsafe bytes }
  }
}

extension Array where Element == UInt8 {
  /// Puts a copy of bytes at the end.
  public mutating func append(_ octets: RawSpan) {
    unsafe octets.withUnsafeBytes { region in unsafe append(contentsOf: region) }
  }
}

extension RawSpan {
  /// Where `pattern`, which must not be empty, first stands at or after `start`; nil when it does
  /// not.
  public func firstOffset(of pattern: RawSpan, from start: Int = 0) -> Int? {
    precondition(!pattern.isEmpty, "an empty pattern stands everywhere")
    guard start >= 0, byteCount - start >= pattern.byteCount else { return nil }
    let found = unsafe extracting(droppingFirst: start).withUnsafeBytes { bytes in
      unsafe pattern.withUnsafeBytes { pattern in
        unsafe adit_find(bytes.baseAddress, bytes.count, pattern.baseAddress, pattern.count)
      }
    }
    return found < 0 ? nil : start + found
  }
}
