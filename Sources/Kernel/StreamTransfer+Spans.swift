internal import CKernel

extension Descriptor {
  /// Reads what is there into `bytes`, which must not be empty.
  public borrowing func receive(into bytes: inout MutableRawSpan) throws(Errno) -> Transfer {
    precondition(!bytes.isEmpty, "a read needs room for at least one byte")
    let count = bytes.byteCount
    let number = self.number
    let result = unsafe bytes.withUnsafeMutableBytes { region in
      unsafe adit_receive(number, region.baseAddress, count)
    }
    return try transfer(result)
  }

  /// Looks whether a byte waits to be read. An error that comes after the bytes is taken from the
  /// socket where there are none.
  public borrowing func peekByte() throws(Errno) -> Transfer {
    var byte: UInt8 = 0
    return try transfer(unsafe adit_peek(number, &byte, 1))
  }

  /// Writes bytes, at least one; fewer may be taken. Never raises SIGPIPE.
  public borrowing func send(_ bytes: RawSpan) throws(Errno) -> Transfer {
    precondition(!bytes.isEmpty, "a write needs at least one byte")
    let count = bytes.byteCount
    let number = self.number
    let result = unsafe bytes.withUnsafeBytes { region in
      unsafe adit_send(number, region.baseAddress, count)
    }
    return try transfer(result)
  }
}
