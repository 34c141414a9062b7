internal import Kernel

/// Descriptors opened since a test began, in a process of the test's own.
///
/// The runtime opens and closes some of its own at any time, Dispatch's epoll, eventfds and
/// timerfd; so a test opens many and a growth is believed as far as `tolerance` goes.
public struct DescriptorGrowth: Sendable {
  /// Descriptors of the runtime's own that may come or go meanwhile.
  public static let tolerance = 8
  /// How many a test opens or leaks at least, to be seen beside those.
  public static let many = 64

  private let before: Int

  /// Begins to count.
  public init() {
    before = ProcessLimits.openDescriptorCount()
  }

  /// True when about `count` more descriptors are open than at the beginning.
  public func isAbout(_ count: Int) -> Bool {
    abs(ProcessLimits.openDescriptorCount() - before - count) <= DescriptorGrowth.tolerance
  }
}
