internal import Kernel

/// Feeds text to `IPAddress`. What reads must print as text that reads the same.
@c(LLVMFuzzerTestOneInput)
public func fuzzAddress(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  // The fuzzer's bytes live for the call; they are copied.
  let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  guard let address = IPAddress(String(decoding: bytes, as: UTF8.self)) else { return 0 }
  precondition(IPAddress(address.description) == address, "\(address) reads differently")
  precondition(address.unmapped.unmapped == address.unmapped, "unmapping is not final")
  return 0
}
