internal import CKernel
internal import Glibc

extension ProcessLimits {
  /// The soft and the hard limit of open descriptors, getrlimit(2).
  public static func descriptorLimits() throws(Errno) -> (soft: Int, hard: Int) {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
      throw Errno(rawValue: errno)
    }
    return (Int(clamping: limit.rlim_cur), Int(clamping: limit.rlim_max))
  }

  /// Fills the standard descriptors that this process was started without, so that no socket or
  /// poller gets their numbers, into which log lines are written.
  public static func openStandardDescriptors() throws(Errno) {
    _ = try check(adit_open_standard_descriptors())
  }

  /// Descriptors looked at when the open ones are counted.
  public static let countedDescriptors: Int32 = 65_536

  /// Descriptors that are open now, those that were inherited among them.
  public static func openDescriptorCount() -> Int {
    (0..<countedDescriptors).count { fcntl($0, F_GETFD) >= 0 }
  }
}
