internal import CKernel

/// The one owner of an open file descriptor: closed when the owner ends, and never twice.
public struct Descriptor: ~Copyable, Sendable {
  /// The number that the kernel knows it by; valid only while the owner lives.
  public let number: Int32

  /// Takes over a descriptor that nobody else closes.
  public init(adopting number: Int32) {
    precondition(number >= 0, "a descriptor number is not negative")
    self.number = number
  }

  deinit {
    _ = adit_close(number)
  }

  /// Gives the number away; the new owner closes it.
  public consuming func release() -> Int32 {
    let number = self.number
    discard self
    return number
  }

  /// Closes a TCP connection so that its peer sees a reset; any other descriptor is just closed.
  public consuming func reset() {
    let number = self.number
    discard self
    _ = adit_close_with_reset(number)
  }

  /// Another descriptor for what this one is open for: fcntl(2) F_DUPFD_CLOEXEC.
  public borrowing func duplicate() throws(Errno) -> Descriptor {
    Descriptor(adopting: try check(adit_duplicate(number)))
  }

  /// Sets O_NONBLOCK and FD_CLOEXEC on a descriptor that this process inherited.
  public borrowing func makeNonblocking() throws(Errno) {
    _ = try check(adit_make_nonblocking(number))
  }

  /// A descriptor that is valid and never ready: what tests put where a socket would be.
  public static func quiet() throws(Errno) -> Descriptor {
    Descriptor(adopting: try check(adit_quiet_descriptor()))
  }
}
