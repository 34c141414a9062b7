internal import CKernel

/// A point on the monotonic clock, in nanoseconds since an unspecified start.
public struct Instant: Hashable, Comparable, Sendable {
  /// Nanoseconds since the clock's start.
  public var nanoseconds: UInt64

  /// Makes the instant that is `nanoseconds` after the clock's start.
  public init(nanoseconds: UInt64) {
    self.nanoseconds = nanoseconds
  }

  /// The kernel's monotonic clock, read now.
  public static func now() -> Instant {
    Instant(nanoseconds: adit_monotonic_nanoseconds())
  }

  /// An instant that never comes.
  public static let never = Instant(nanoseconds: .max)

  /// Orders instants by time.
  public static func < (left: Instant, right: Instant) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  /// The instant `duration` later, at most `never`.
  public static func + (instant: Instant, duration: Duration) -> Instant {
    let (sum, overflow) = instant.nanoseconds.addingReportingOverflow(duration.wholeNanoseconds)
    return overflow ? .never : Instant(nanoseconds: sum)
  }

  /// The time from `earlier` to `later`; zero when `earlier` is later.
  public static func - (later: Instant, earlier: Instant) -> Duration {
    guard later > earlier else { return .zero }
    let distance = min(later.nanoseconds - earlier.nanoseconds, UInt64(Int64.max))
    return .nanoseconds(Int64(distance))
  }
}

extension Duration {
  /// Whole nanoseconds, from 0 to `UInt64.max` (585 years).
  public var wholeNanoseconds: UInt64 {
    let (seconds, attoseconds) = components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    let (product, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, carried) = product.addingReportingOverflow(UInt64(attoseconds) / 1_000_000_000)
    return overflow || carried ? .max : sum
  }
}

extension Duration {
  /// Whole milliseconds for a socket option, from 0 to `Int32.max`.
  public var wholeMilliseconds: Int32 {
    Int32(clamping: wholeNanoseconds / 1_000_000)
  }
}

/// A point on the calendar's clock.
public struct WallTime: Hashable, Sendable {
  /// Nanoseconds since 1970-01-01 00:00 UTC.
  public let nanoseconds: UInt64

  /// Makes the time that is `nanoseconds` after 1970-01-01 00:00 UTC.
  public init(nanoseconds: UInt64) {
    self.nanoseconds = nanoseconds
  }

  /// The kernel's calendar clock, read now.
  public static func now() -> WallTime {
    WallTime(nanoseconds: adit_realtime_nanoseconds())
  }
}
