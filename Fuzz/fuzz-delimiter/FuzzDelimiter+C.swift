/// The fuzzer's door to the search for separators.
@c(LLVMFuzzerTestOneInput)
public func fuzzDelimiter(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  // The fuzzer's bytes live for the call; they are copied.
  let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  checkSegmentation(bytes)
  return 0
}
