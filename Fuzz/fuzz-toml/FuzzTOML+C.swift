internal import Configuration

/// Feeds bytes to the file reader. What reads must be written as TOML that reads the same.
@c(LLVMFuzzerTestOneInput)
public func fuzzTOML(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  // The fuzzer's bytes live for the call; they are copied.
  let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  guard let file = try? ConfigurationFile.parse(bytes, name: "fuzz.toml") else { return 0 }
  let again = try? ConfigurationFile.parse(file.toml, name: "again.toml")
  precondition(again == file, "what was written reads differently:\n\(file.toml)")
  return 0
}
