internal import Glibc

/// The descriptor limit of a test's own process.
public enum DescriptorLimit {
  /// Lowers the soft limit, so that it is soon reached wherever the test runs.
  public static func lower(to count: Int) {
    var limit = rlimit(rlim_cur: rlim_t(count), rlim_max: rlim_t(count))
    let failure = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    precondition(failure == 0, "a limit can always be lowered")
  }
}
