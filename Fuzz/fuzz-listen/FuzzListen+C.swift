/// The fuzzer's door to the text grammars.
@c(LLVMFuzzerTestOneInput)
public func fuzzListen(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  // The fuzzer's bytes live for the call; they are copied.
  let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  checkGrammars(String(decoding: bytes, as: UTF8.self))
  return 0
}
