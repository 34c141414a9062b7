extension MutableSpan where Element == UInt8 {
  /// The same bytes as a mutable raw span; `MutableSpan.mutableBytes` is marked unsafe in Swift 6.3.
  public var mutableOctets: MutableRawSpan {
    @_lifetime(&self) mutating get { unsafe mutableBytes }
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
