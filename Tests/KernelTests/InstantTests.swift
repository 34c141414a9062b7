import Kernel
import Testing

@Suite struct InstantTests {
  @Test func sumsEndAtNever() {
    let instant = Instant(nanoseconds: 10)
    #expect(instant + .nanoseconds(5) == Instant(nanoseconds: 15))
    #expect(Instant.never + .nanoseconds(1) == .never)
    #expect(instant + .seconds(Int64.max) == .never)
    #expect(Instant(nanoseconds: .max - 1) + .nanoseconds(1) == .never)
    #expect(Instant(nanoseconds: .max - 1) + .nanoseconds(2) == .never)
  }

  @Test func nothingIsAddedForATimeBeforeNow() {
    #expect(Instant(nanoseconds: 10) + .nanoseconds(-5) == Instant(nanoseconds: 10))
  }

  @Test func differencesAreNeverNegativeAndNeverOverflow() {
    let early = Instant(nanoseconds: 10)
    let late = Instant(nanoseconds: 25)
    #expect(late - early == .nanoseconds(15))
    #expect(early - late == .zero)
    #expect(Instant.never - Instant(nanoseconds: 0) == .nanoseconds(Int64.max))
    #expect(early < late && !(late < early))
  }

  @Test(
    arguments: [
      (Duration.zero, 0), (.nanoseconds(1), 1), (.milliseconds(1500), 1_500_000_000),
      (.nanoseconds(-1), 0), (.seconds(-5), 0), (.seconds(Int64.max), .max),
      (.seconds(18_446_744_073), 18_446_744_073_000_000_000), (.seconds(18_446_744_074), .max),
      (Duration(secondsComponent: 0, attosecondsComponent: 999_999_999), 0),
    ] as [(Duration, UInt64)])
  func wholeNanosecondsAreHeldToTheirRange(duration: Duration, nanoseconds: UInt64) {
    #expect(duration.wholeNanoseconds == nanoseconds)
  }

  @Test func wholeMillisecondsAreHeldToAnOptionsRange() {
    #expect(Duration.microseconds(1999).wholeMilliseconds == 1)
    #expect(Duration.seconds(-1).wholeMilliseconds == 0)
    #expect(Duration.seconds(Int64.max).wholeMilliseconds == .max)
  }

  @Test func theClockGoesForward() {
    let first = Instant.now()
    #expect(Instant.now() >= first)
    #expect(WallTime.now().nanoseconds > 1_700_000_000_000_000_000)
  }
}
