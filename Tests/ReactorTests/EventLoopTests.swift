import Kernel
import Testing

@testable import Reactor

/// One loop on the thread of the test, turned by hand.
@Suite struct EventLoopTests {
  private let clock = ManualClock()
  private let loop: EventLoop

  init() throws {
    loop = try EventLoop(clock: clock.now)
  }

  private func turn() throws { try loop.turn(waitAtMost: .zero) }

  // MARK: Events

  @Test func anEventGoesToItsHandlerWithItsTag() throws {
    let bell = try Bell(on: loop, tag: 7)
    let other = try Bell(on: loop, tag: 8)
    bell.ring()
    try turn()
    #expect(bell.calls.map(\.tag) == [7])
    #expect(bell.calls.map(\.readiness) == [.readable])
    #expect(other.calls.isEmpty)
  }

  @Test func aTurnWithoutEventsEndsAtItsLimit() throws {
    try loop.turn(waitAtMost: .milliseconds(2))
    #expect(loop.turns == 1)
  }

  @Test func whoIsForgottenByAnEarlierHandlerOfTheBatchIsNotCalled() throws {
    let bells = try (0..<2).map { _ in try Bell(on: loop) }
    for (index, bell) in bells.enumerated() {
      bell.onCall = { [unowned other = bells[1 - index]] _, _ in other.close() }
      bell.ring()
    }
    try turn()
    #expect(bells[0].calls.count + bells[1].calls.count == 1)
    #expect(loop.staleEvents == 1)
  }

  @Test func aNewDescriptorOfTheSameNumberDoesNotGetTheStaleEvent() throws {
    let bells = try (0..<2).map { _ in try Bell(on: loop) }
    var successor: Bell?
    for (index, bell) in bells.enumerated() {
      bell.onCall = { [unowned other = bells[1 - index]] _, loop in
        other.close()
        successor = try? Bell(on: loop)
      }
      bell.ring()
    }
    try turn()
    #expect(successor?.calls.isEmpty == true)
    #expect(loop.staleEvents == 1)
    successor?.ring()
    try turn()
    #expect(successor?.calls.count == 1)
    #expect(loop.staleEvents == 1)
  }

  @Test func eventsCanBeHandedToAnother() throws {
    let bell = try Bell(on: loop, tag: 1)
    let heir = try Bell(on: loop)
    loop.hand(bell.registration, to: heir, tag: 9)
    bell.ring()
    try turn()
    #expect(bell.calls.isEmpty)
    #expect(heir.calls.map(\.tag) == [9])
  }

  @Test func aPausedDescriptorIsNotReportedUntilItIsResumed() throws {
    let bell = try Bell(on: loop, for: [.readable])
    try bell.watch(for: [])
    bell.ring()
    try turn()
    #expect(bell.calls.isEmpty)
    try bell.watch(for: [.readable])
    try turn()
    try turn()
    #expect(bell.calls.count == 2)
  }

  @Test func anUnwatchedDescriptorIsNotReportedAndMayStayOpen() throws {
    let before = loop.population.registrations
    let bell = try Bell(on: loop)
    bell.unwatch()
    bell.ring()
    try turn()
    #expect(bell.calls.isEmpty)
    #expect(loop.population.registrations == before)
  }

  @Test func whatCannotBeWatchedLeavesNoRegistration() throws {
    let before = loop.population.registrations
    let bell = try Bell(on: loop)
    let file = try PlainFile()
    #expect(throws: Errno(rawValue: 1)) { _ = try loop.watch(file.descriptor, bell) }
    #expect(loop.population.registrations == before + 1)
  }

  // MARK: Calling soon

  @Test func aHandlerThatGoesOnLetsOthersHaveTheirTurns() throws {
    let greedy = try Bell(on: loop, tag: 1)
    greedy.onCall = { $1.callSoon($0, tag: 2) }
    let patient = try Bell(on: loop)
    let alarm = Alarm()
    _ = loop.setTimer(at: clock.now() + .nanoseconds(1), alarm)
    greedy.ring()
    try turn()
    clock.advance(by: .nanoseconds(1))
    patient.ring()
    let jobs = Lock(0)
    loop.post { jobs.withLock { $0 += 1 } }
    try loop.turn(waitAtMost: nil)
    #expect(patient.calls.count == 1)
    #expect(alarm.tags.count == 1)
    #expect(jobs.withLock { $0 } == 1)
    #expect(greedy.calls.map(\.tag).filter { $0 == 2 }.count == 2)
    #expect(greedy.calls.last?.readiness == [])
  }

  @Test func workLeftOverKeepsTheLoopFromSleeping() throws {
    let bell = try Bell(on: loop)
    loop.callSoon(bell, tag: 3)
    try loop.turn(waitAtMost: nil)
    #expect(bell.calls.map(\.tag) == [3])
  }

  // MARK: Timers

  @Test func aTimerFiresAtItsDeadlineAndNotBefore() throws {
    let alarm = Alarm()
    _ = loop.setTimer(at: clock.now() + .seconds(1), alarm, tag: 5)
    clock.advance(by: .nanoseconds(999_999_999))
    try turn()
    #expect(alarm.tags == [])
    clock.advance(by: .nanoseconds(1))
    try turn()
    try turn()
    #expect(alarm.tags == [5])
    #expect(loop.population.timers == 0)
  }

  @Test func aCancelledTimerDoesNotFire() throws {
    let alarm = Alarm()
    let token = loop.setTimer(at: clock.now() + .seconds(1), alarm)
    loop.cancel(token)
    clock.advance(by: .seconds(2))
    try turn()
    #expect(alarm.tags == [])
  }

  @Test func aTimerMayCancelAnotherThatIsDueInTheSameTurn() throws {
    let alarm = Alarm()
    _ = loop.setTimer(at: clock.now() + .seconds(1), alarm, tag: 1)
    let later = loop.setTimer(at: clock.now() + .seconds(2), alarm, tag: 2)
    alarm.onFire = { _ in self.loop.cancel(later) }
    clock.advance(by: .seconds(3))
    try turn()
    #expect(alarm.tags == [1])
  }

  @Test func aTimerThatIsSetAnewForThePresentWaitsForTheNextTurn() throws {
    let alarm = Alarm()
    alarm.onFire = { [unowned loop, unowned alarm] _ in
      _ = loop.setTimer(at: loop.now, alarm)
    }
    _ = loop.setTimer(at: loop.now, alarm)
    try turn()
    #expect(alarm.tags.count == 1)
    try loop.turn(waitAtMost: nil)
    #expect(alarm.tags.count == 2)
  }

  @Test func aTimerThatNeverComesDoesNotDisturb() throws {
    let alarm = Alarm()
    clock.advance(by: .nanoseconds(1))
    _ = loop.setTimer(at: .never, alarm)
    _ = loop.setTimer(at: Instant(nanoseconds: .max - 1), alarm)
    loop.post {}
    try loop.turn(waitAtMost: nil)
    #expect(alarm.tags == [])
  }

  @Test func theTimeStandsStillDuringATurn() throws {
    let bell = try Bell(on: loop)
    var seen: [Instant] = []
    bell.onCall = { [clock] _, loop in
      seen.append(loop.now)
      clock.advance(by: .seconds(1))
      seen.append(loop.now)
    }
    bell.ring()
    try turn()
    #expect(seen.count == 2)
    #expect(seen.first == seen.last)
  }

  @Test func theLoopSleepsUntilItsNearestDeadline() throws {
    let loop = try EventLoop()
    let alarm = Alarm()
    _ = loop.setTimer(at: Instant.now() + .milliseconds(20), alarm)
    _ = loop.setTimer(at: Instant.now() + .seconds(60), alarm)
    while alarm.tags.isEmpty { try loop.turn(waitAtMost: nil) }
    #expect(loop.turns <= 3)
  }
}
