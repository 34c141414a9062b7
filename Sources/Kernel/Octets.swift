extension Span where Element == UInt8 {
  /// The same bytes as a raw span. `Span.bytes` is marked unsafe in Swift 6.3
  /// (swiftlang/swift #86431); for bytes there is nothing unsafe in it.
  public var octets: RawSpan {
    @_lifetime(copy self) get { unsafe bytes }
  }
}
