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

  /// Descriptors looked at when the open ones are counted.
  public static let countedDescriptors: Int32 = 65_536

  /// Descriptors that are open now, those that were inherited among them.
  public static func openDescriptorCount() -> Int {
    (0..<countedDescriptors).count { fcntl($0, F_GETFD) >= 0 }
  }
}
