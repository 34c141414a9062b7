internal import CKernel
internal import Glibc

/// Where the process writes for people and other programs.
public enum StandardStream: Int32, Sendable {
  /// Standard output.
  case output = 1
  /// Standard error.
  case error = 2

  /// True when a person may be looking: isatty(3).
  public var isTerminal: Bool { isatty(rawValue) == 1 }

  /// The terminal's width in characters; nil when it is no terminal or does not say.
  public var columns: Int? {
    var size = winsize()
    guard unsafe ioctl(rawValue, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// Writes all bytes and waits as long as the reader takes: not for a loop's thread.
  public func write(_ bytes: [UInt8]) throws(Errno) {
    var offset = 0
    while offset < bytes.count {
      let result = unsafe bytes.withUnsafeBytes { buffer in
        guard let base = buffer.baseAddress else { return 0 }
        return unsafe adit_write(rawValue, base + offset, buffer.count - offset)
      }
      if result == -Int(EAGAIN) {
        try waitUntilWritable()
      } else {
        offset += try check(result)
      }
    }
  }

  /// Another program may have made the stream, which it shares with us, non-blocking.
  private func waitUntilWritable() throws(Errno) {
    var entry = pollfd(fd: rawValue, events: Int16(POLLOUT), revents: 0)
    guard unsafe poll(&entry, 1, -1) >= 0 || errno == EINTR else { throw Errno(rawValue: errno) }
  }
}
