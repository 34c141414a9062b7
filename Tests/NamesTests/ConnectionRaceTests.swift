import Kernel
import Names
import Testing

/// Conversations with the race; times are milliseconds since its beginning, the deadline is 10 s.
@Suite struct ConnectionRaceTests {
  static let first6 = IPAddress.v6(0x2001_0db8_0000_0000, 1, scope: 0)
  static let second6 = IPAddress.v6(0x2001_0db8_0000_0000, 2, scope: 0)
  static let first4 = IPAddress.v4(0xc000_0201)
  static let second4 = IPAddress.v4(0xc000_0202)

  static func at(_ milliseconds: UInt64) -> Instant {
    Instant(nanoseconds: 1_000_000_000 + milliseconds * 1_000_000)
  }

  static func answer6(_ addresses: IPAddress...) -> FamilyAnswer {
    FamilyAnswer(.v6, addresses.isEmpty ? .failure(.noAddress) : .addresses(addresses))
  }

  static func answer4(_ addresses: IPAddress...) -> FamilyAnswer {
    FamilyAnswer(.v4, addresses.isEmpty ? .failure(.noAddress) : .addresses(addresses))
  }

  typealias This = ConnectionRaceTests
  var race = ConnectionRace(deadline: at(10_000))

  init() {
    #expect(race.begin(This.at(0)) == [.wake(at: This.at(10_000))])
  }

  // MARK: Resolving

  @Test mutating func addressesOfIPv6AreTriedAtOnce() {
    #expect(
      race.answered(This.answer6(This.first6), This.at(3)) == [.attempt(0, This.first6)])
  }

  @Test mutating func addressesOfIPv4Wait50MillisecondsForThoseOfIPv6() {
    #expect(race.answered(This.answer4(This.first4), This.at(3)) == [.wake(at: This.at(53))])
    #expect(race.woke(This.at(52)) == [.wake(at: This.at(53))])
    #expect(
      race.woke(This.at(53)) == [.attempt(0, This.first4), .wake(at: This.at(10_000))])
  }

  @Test mutating func theWaitForIPv6EndsWithItsAnswer() {
    _ = race.answered(This.answer4(This.first4), This.at(3))
    #expect(
      race.answered(This.answer6(This.first6), This.at(20)) == [
        .attempt(0, This.first6), .wake(at: This.at(270)),
      ])
    #expect(
      race.woke(This.at(270)) == [.attempt(1, This.first4), .wake(at: This.at(10_000))])
  }

  @Test mutating func theWaitForIPv6EndsWhenThereIsNone() {
    _ = race.answered(This.answer4(This.first4), This.at(3))
    #expect(
      race.answered(This.answer6(), This.at(20)) == [
        .attempt(0, This.first4), .wake(at: This.at(10_000)),
      ])
  }

  @Test mutating func addressesOfIPv4DoNotWaitWhenIPv6HasAnsweredBefore() {
    #expect(race.answered(This.answer6(), This.at(3)) == [])
    #expect(race.answered(This.answer4(This.first4), This.at(4)) == [.attempt(0, This.first4)])
  }

  @Test mutating func aLateAnswerTakesItsFamilysTurn() {
    _ = race.answered(This.answer4(This.first4, This.second4), This.at(0))
    #expect(
      race.woke(This.at(50)) == [.attempt(0, This.first4), .wake(at: This.at(300))])
    #expect(race.answered(This.answer6(This.first6), This.at(200)) == [])
    #expect(
      race.woke(This.at(300)) == [.attempt(1, This.first6), .wake(at: This.at(550))])
    #expect(
      race.woke(This.at(550)) == [.attempt(2, This.second4), .wake(at: This.at(10_000))])
  }

  @Test mutating func aLateAnswerIsTriedAtOnceWhenNothingElseIsTried() {
    _ = race.answered(This.answer6(This.first6), This.at(0))
    #expect(race.failed(0, .timedOut, This.at(5)) == [])
    #expect(race.answered(This.answer4(This.first4), This.at(9)) == [.attempt(1, This.first4)])
  }

  @Test mutating func aLateAnswerKeepsItsDistanceFromTheAttemptThatRuns() {
    _ = race.answered(This.answer6(This.first6), This.at(0))
    #expect(
      race.answered(This.answer4(This.first4), This.at(100)) == [.wake(at: This.at(250))])
  }

  @Test mutating func answersBeforeTheBeginningCount() {
    var race = ConnectionRace(deadline: This.at(10_000))
    #expect(race.answered(This.answer6(), This.at(0)) == [])
    #expect(race.answered(This.answer4(This.first4), This.at(0)) == [])
    #expect(
      race.begin(This.at(0)) == [.attempt(0, This.first4), .wake(at: This.at(10_000))])
  }

  @Test func oneAddressIsTriedWithoutAnyAnswer() {
    var race = ConnectionRace(to: .loopback4, deadline: This.at(10_000))
    #expect(
      race.begin(This.at(0)) == [.attempt(0, .loopback4), .wake(at: This.at(10_000))])
    #expect(race.failed(0, .connectionRefused, This.at(1)) == [.lost(.refused)])
    #expect(race.isOver)
  }

  // MARK: Attempts

  @Test mutating func familiesTakeTurnsBeginningWithIPv6AndKeepTheirOrder() {
    _ = race.answered(This.answer4(This.second4, This.first4), This.at(0))
    _ = race.answered(This.answer6(This.second6, This.first6), This.at(1))
    var tried: [IPAddress] = [This.second6]
    for time in stride(from: UInt64(251), through: 751, by: 250) {
      for case .attempt(_, let address) in race.woke(This.at(time)) { tried.append(address) }
    }
    #expect(tried == [This.second6, This.second4, This.first6, This.first4])
  }

  @Test mutating func anAttemptThatFailsBeginsTheNextAtOnce() {
    _ = race.answered(This.answer6(This.first6, This.second6), This.at(0))
    #expect(
      race.failed(0, .connectionRefused, This.at(10)) == [
        .attempt(1, This.second6), .wake(at: This.at(10_000)),
      ])
  }

  @Test mutating func theDistanceIsCountedFromTheAttemptThatAFailureBegan() {
    _ = race.answered(This.answer6(This.first6, This.second6), This.at(0))
    _ = race.answered(This.answer4(This.first4), This.at(0))
    #expect(
      race.failed(0, .connectionRefused, This.at(100)) == [
        .attempt(1, This.first4), .wake(at: This.at(350)),
      ])
    #expect(race.woke(This.at(250)) == [.wake(at: This.at(350))])
  }

  @Test mutating func aLateWakeUpBeginsOneAttemptOnly() {
    _ = race.answered(This.answer6(This.first6, This.second6), This.at(0))
    _ = race.answered(This.answer4(This.first4, This.second4), This.at(0))
    #expect(
      race.woke(This.at(2000)) == [.attempt(1, This.first4), .wake(at: This.at(2250))])
  }

  @Test mutating func anAddressIsTriedOnceHoweverOftenItIsNamed() {
    #expect(
      race.answered(This.answer6(This.first6, This.first6), This.at(0)) == [
        .attempt(0, This.first6)
      ])
    #expect(race.answered(This.answer6(This.first6), This.at(1)) == [])
    _ = race.answered(This.answer4(), This.at(2))
    #expect(race.failed(0, .connectionRefused, This.at(3)) == [.lost(.refused)])
  }

  @Test mutating func aFamilyHasSixteenAttemptsAtMost() {
    let many = (0..<40).map { IPAddress.v4(0x0a00_0000 + $0) }
    _ = race.answered(This.answer6(), This.at(0))
    var actions = race.answered(FamilyAnswer(.v4, .addresses(many)), This.at(0))
    var attempts: UInt32 = 0
    while case .attempt(let number, let address)? = actions.first {
      #expect(address == many[Int(number)])
      attempts += 1
      actions = race.failed(number, .connectionRefused, This.at(1))
    }
    #expect(attempts == 16)
    #expect(actions == [.lost(.refused)])
  }

  // MARK: Winning

  @Test mutating func theFirstConnectionAbandonsTheOthers() {
    _ = race.answered(This.answer6(This.first6, This.second6), This.at(0))
    _ = race.answered(This.answer4(This.first4), This.at(0))
    _ = race.woke(This.at(250))
    _ = race.woke(This.at(500))
    #expect(race.connected(1, This.at(501)) == [.abandon(0), .abandon(2), .won(1)])
    #expect(race.isOver)
  }

  @Test mutating func whatComesAfterAWinChangesNothing() {
    _ = race.answered(This.answer6(This.first6), This.at(0))
    #expect(race.connected(0, This.at(1)) == [.won(0)])
    #expect(race.answered(This.answer4(This.first4), This.at(2)) == [])
    #expect(race.failed(0, .connectionReset, This.at(3)) == [])
    #expect(race.connected(0, This.at(4)) == [])
    #expect(race.woke(This.at(20_000)) == [])
    #expect(race.cancel() == [])
    #expect(race.begin(This.at(20_000)) == [])
  }

  @Test mutating func aConnectionAtTheLastMomentWins() {
    _ = race.answered(This.answer6(This.first6), This.at(0))
    #expect(race.connected(0, This.at(10_000)) == [.won(0)])
  }

  @Test mutating func anAttemptThatWasAbandonedCannotWin() {
    _ = race.answered(This.answer6(This.first6), This.at(0))
    #expect(race.cancel() == [.abandon(0)])
    #expect(race.isOver)
    #expect(race.connected(0, This.at(1)) == [])
  }

  @Test mutating func anAttemptThatNeverBeganIsNotBelieved() {
    _ = race.answered(This.answer6(This.first6), This.at(0))
    #expect(race.connected(7, This.at(1)) == [])
    #expect(race.failed(7, .connectionRefused, This.at(1)) == [])
    #expect(!race.isOver)
  }

  // MARK: Losing

  @Test mutating func theRaceIsNotLostWhileAnAnswerIsOutstanding() {
    _ = race.answered(This.answer6(This.first6), This.at(0))
    #expect(race.failed(0, .connectionRefused, This.at(1)) == [])
    #expect(race.answered(This.answer4(), This.at(2)) == [.lost(.refused)])
  }

  @Test mutating func theLastErrorIsToldWhenNotAllRefused() {
    _ = race.answered(This.answer6(This.first6), This.at(0))
    _ = race.answered(This.answer4(This.first4), This.at(0))
    _ = race.failed(0, .connectionRefused, This.at(1))
    #expect(race.failed(1, .timedOut, This.at(2)) == [.lost(.connect(.timedOut))])
  }

  @Test mutating func aFamilyThatThisMachineLacksDoesNotHideARefusal() {
    _ = race.answered(This.answer6(This.first6), This.at(0))
    _ = race.answered(This.answer4(This.first4), This.at(0))
    _ = race.failed(0, .connectionRefused, This.at(1))
    #expect(race.failed(1, .networkUnreachable, This.at(2)) == [.lost(.refused)])
  }

  @Test mutating func aMissingFamilyIsToldWhenThereIsNothingElseToTell() {
    _ = race.answered(This.answer6(This.first6), This.at(0))
    _ = race.answered(This.answer4(), This.at(0))
    #expect(
      race.failed(0, .networkUnreachable, This.at(2)) == [.lost(.connect(.networkUnreachable))])
  }

  @Test mutating func twoEmptyAnswersLoseWithTheFailureThatTellsMore() {
    #expect(race.answered(FamilyAnswer(.v6, .failure(.serverFailure)), This.at(0)) == [])
    #expect(
      race.answered(FamilyAnswer(.v4, .failure(.noAddress)), This.at(1)) == [
        .lost(.resolution(.serverFailure))
      ])
  }

  @Test mutating func aConnectErrorIsToldBeforeAResolutionFailure() {
    #expect(race.answered(FamilyAnswer(.v6, .failure(.timedOut)), This.at(0)) == [])
    _ = race.answered(This.answer4(This.first4), This.at(1))
    #expect(race.failed(0, .timedOut, This.at(2)) == [.lost(.connect(.timedOut))])
  }

  @Test mutating func addressesThatHaveExpiredAreTriedAsWell() {
    let stale = FamilyAnswer(.v6, .stale([This.first6], .serverFailure))
    #expect(race.answered(stale, This.at(0)) == [.attempt(0, This.first6)])
    _ = race.answered(This.answer4(), This.at(0))
    #expect(race.failed(0, .connectionRefused, This.at(1)) == [.lost(.refused)])
  }

  @Test mutating func theDeadlineWhileResolvingSaysSo() {
    #expect(race.woke(This.at(10_000)) == [.lost(.timedOutResolving)])
    #expect(race.answered(This.answer6(This.first6), This.at(10_001)) == [])
  }

  @Test mutating func theDeadlineAbandonsWhatRuns() {
    _ = race.answered(This.answer6(This.first6), This.at(0))
    _ = race.answered(This.answer4(This.first4), This.at(0))
    _ = race.failed(0, .connectionRefused, This.at(5))
    #expect(
      race.woke(This.at(10_000)) == [
        .abandon(1), .lost(.timedOutConnecting(last: .connectionRefused)),
      ])
  }

  @Test mutating func aDeadlineBeforeTheResolutionDelayIsKept() {
    var race = ConnectionRace(deadline: This.at(20))
    _ = race.begin(This.at(0))
    #expect(race.answered(This.answer4(This.first4), This.at(1)) == [])
    #expect(race.woke(This.at(20)) == [.lost(.timedOutResolving)])
  }

  @Test mutating func everyFailureHasItsSentence() {
    let failures: [RaceFailure] = [
      .refused, .connect(.timedOut), .resolution(.notFound), .timedOutResolving,
      .timedOutConnecting(last: nil), .timedOutConnecting(last: .connectionRefused),
    ]
    #expect(Set(failures.map(\.description)).count == failures.count)
  }
}
