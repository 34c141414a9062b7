internal import CKernel
internal import Glibc

/// A descriptor that this process was started with. It is never closed, so that its number stays
/// what the starter said.
public struct InheritedDescriptor: Hashable, Sendable {
  /// The descriptor's number.
  public let number: Int32

  /// The first number that a service manager passes, sd_listen_fds(3).
  public static let firstNumber: Int32 = 3

  /// Takes note of a descriptor; nil when none of that number is open. No child inherits it
  /// further.
  public init?(_ number: Int32) {
    guard number >= 0, fcntl(number, F_SETFD, FD_CLOEXEC) == 0 else { return nil }
    self.number = number
  }

  /// Another descriptor for what this one is open for.
  public func duplicate() throws(Errno) -> Descriptor {
    Descriptor(adopting: try check(adit_duplicate(number)))
  }
}
