/// The fuzzer's door to the TLS engine.
@c(LLVMFuzzerTestOneInput)
public func fuzzTLS(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  // The fuzzer's bytes live for the call; they are copied.
  let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  guard let first = bytes.first else { return 0 }
  switch first & 0x3 {
  case 0: feedAlone(asServer: true, bytes.dropFirst())
  case 1: feedAlone(asServer: false, bytes.dropFirst())
  default: spoilConversation(first, bytes.dropFirst())
  }
  return 0
}

extension [UInt8] {
  /// A place for the engine to write to.
  mutating func withRoom<Result>(_ body: (inout MutableRawSpan) -> Result) -> Result {
    var elements = mutableSpan
    // The bytes of bytes: nothing can go wrong (swiftlang/swift #86431).
    var bytes = unsafe elements.mutableBytes
    return body(&bytes)
  }
}
