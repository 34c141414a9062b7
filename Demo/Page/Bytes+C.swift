internal import Glibc
internal import Kernel

extension Descriptor {
  /// Bytes that came, none at the end of the stream, nil when there are none yet.
  borrowing func receiveBytes() throws(Errno) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 4096)
    // The array holds as many bytes as are asked for.
    switch try unsafe receive(into: &bytes, count: bytes.count) {
    case .moved(let count): return Array(bytes.prefix(count))
    case .ended: return []
    case .wouldBlock: return nil
    }
  }

  /// How many of the bytes, at least one, were taken; nil when there is no room yet.
  borrowing func sendBytes(_ bytes: ArraySlice<UInt8>) throws(Errno) -> Int? {
    let whole = Array(bytes)
    // The array holds as many bytes as are given.
    switch try unsafe send(whole, count: whole.count) {
    case .moved(let count): return count
    case .ended, .wouldBlock: return nil
    }
  }
}

/// Prints a line that a reader at the other end of a pipe sees at once.
func printAtOnce(_ line: String) {
  print(line)
  // Nil is every stream.
  fflush(nil)
}
