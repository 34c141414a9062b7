import Foundation
import TestSupport
import Testing

@testable import SocketStreams

/// The rules of streams, without bytes, threads or sockets.
struct RulesTests {
  private static let failure = StreamFailure.closedByReader

  @Test func aReadWaitsTakesAndEnds() {
    var rules = InputRules()
    #expect(rules.read(10) == .refuse)
    #expect(rules.open() == true)
    #expect(rules.open() == false)
    #expect(rules.status == .opening)
    #expect(rules.read(10) == .wait)
    rules.connected()
    #expect(rules.status == .open)
    #expect(rules.read(10) == .wait)
    rules.arrived(15)
    #expect(rules.hasBytes)
    #expect(rules.read(10) == .take(10))
    rules.ended(.endOfStream)
    #expect(rules.status == .open)
    #expect(rules.read(10) == .take(5))
    #expect(rules.status == .atEnd)
    #expect(rules.read(10) == .end)
    #expect(rules.close() == true)
    #expect(rules.read(10) == .refuse)
    #expect(rules.close() == false)
  }

  @Test func aFailureCountsBehindTheLastByte() {
    var rules = InputRules()
    _ = rules.open()
    rules.connected()
    rules.arrived(1)
    rules.ended(.failed(RulesTests.failure))
    #expect(rules.failure == nil)
    #expect(rules.read(1) == .take(1))
    #expect(rules.status == .error)
    #expect(rules.failure == RulesTests.failure)
    #expect(rules.read(1) == .refuse)
    // The first end is the one that counts.
    rules.ended(.endOfStream)
    #expect(rules.status == .error)
  }

  @Test func aFailureWhileOpeningIsToldWithoutAnOpening() {
    var rules = InputRules()
    _ = rules.open()
    rules.ended(.failed(RulesTests.failure))
    rules.connected()
    #expect(rules.status == .error)
    #expect(RulesTests.events(&rules) == [.errorOccurred])
  }

  @Test func inputEventsComeInOrderAndOnce() {
    var rules = InputRules()
    #expect(rules.event() == nil)
    _ = rules.open()
    rules.arrived(2)
    #expect(rules.event() == nil)
    rules.connected()
    rules.ended(.endOfStream)
    #expect(RulesTests.events(&rules) == [.openCompleted, .hasBytesAvailable])
    _ = rules.read(1)
    #expect(rules.event(besides: .hasBytesAvailable) == nil)
    #expect(RulesTests.events(&rules) == [.hasBytesAvailable])
    _ = rules.read(1)
    #expect(RulesTests.events(&rules) == [.endEncountered])
    #expect(rules.event() == nil)
  }

  @Test func aClosedStreamTellsNothing() {
    var rules = InputRules()
    _ = rules.open()
    rules.connected()
    rules.arrived(2)
    _ = rules.close()
    #expect(rules.event() == nil)
    #expect(rules.available == 0)
    #expect(rules.room() == 0)
    rules.arrived(3)
    #expect(rules.available == 0)
  }

  @Test func readingAheadStopsAtTheLimitAndGoesOnWithHalfOfTheRoom() {
    var rules = InputRules(limit: 100)
    _ = rules.open()
    rules.connected()
    #expect(rules.room() == 100)
    rules.arrived(100)
    #expect(rules.resumes() == false)
    #expect(rules.room() == 0)
    _ = rules.read(49)
    #expect(rules.resumes() == false)
    _ = rules.read(1)
    #expect(rules.resumes() == true)
    #expect(rules.resumes() == false)
    #expect(rules.room() == 50)
  }

  @Test func aWriteTakesWhatThereIsRoomForAndWaits() {
    var rules = OutputRules(limit: 10)
    #expect(rules.write(1) == .refuse)
    _ = rules.open()
    #expect(rules.write(1) == .wait)
    rules.connected()
    #expect(rules.write(7) == .take(7))
    #expect(rules.write(7) == .take(3))
    #expect(rules.write(1) == .wait)
    #expect(!rules.hasSpace)
    rules.sent(1)
    #expect(rules.hasSpace)
    #expect(rules.write(7) == .take(1))
    rules.failed(RulesTests.failure)
    #expect(rules.write(1) == .refuse)
    #expect(rules.status == .error)
    rules.sent(5)
    #expect(rules.queued == 0)
  }

  @Test func roomIsToldOnceUntilSomethingIsWritten() {
    var rules = OutputRules(limit: 10)
    _ = rules.open()
    rules.connected()
    #expect(RulesTests.events(&rules) == [.openCompleted, .hasSpaceAvailable])
    #expect(rules.event() == nil)
    _ = rules.write(10)
    #expect(rules.event() == nil)
    rules.sent(10)
    #expect(RulesTests.events(&rules) == [.hasSpaceAvailable])
    rules.failed(RulesTests.failure)
    #expect(RulesTests.events(&rules) == [.errorOccurred])
  }

  @Test func theFirstOfThePairToOpenBeginsTheConnection() {
    var rules = PairRules()
    #expect(rules.open(.output) == .begin)
    #expect(rules.open(.output) == [])
    #expect(rules.open(.input) == [])
    #expect(rules.connected() == [.wake, .signalInput, .signalOutput])
    // No second signal before the first was heard.
    #expect(rules.arrived(1) == .wake)
    rules.heard(.input)
    #expect(rules.arrived(1) == [.wake, .signalInput])
  }

  @Test func aStreamThatOpensLateIsOpenAtOnce() {
    var rules = PairRules()
    _ = rules.open(.input)
    _ = rules.connected()
    #expect(rules.open(.output).contains(.signalOutput))
    #expect(rules.output.status == .open)
    var failed = PairRules()
    _ = failed.open(.input)
    _ = failed.fail(RulesTests.failure)
    _ = failed.open(.output)
    #expect(failed.output.status == .error)
  }

  @Test func aQueueIsToldOnceUntilItIsTaken() {
    var rules = PairRules()
    _ = rules.open(.output)
    _ = rules.connected()
    #expect(rules.write(1).1.contains(.send))
    #expect(!rules.write(1).1.contains(.send))
    rules.takesQueue()
    #expect(rules.write(1).1.contains(.send))
  }

  @Test func aBoundPairCountsTheSameBytes() {
    var rules = PairRules(boundBy: 4)
    _ = rules.open(.input)
    _ = rules.open(.output)
    #expect(rules.write(9).0 == .take(4))
    #expect(rules.write(1).0 == .wait)
    #expect(rules.read(3).0 == .take(3))
    #expect(rules.write(9).0 == .take(3))
    _ = rules.close(.output)
    #expect(rules.read(9).0 == .take(4))
    #expect(rules.read(9).0 == .end)
    #expect(rules.input.status == .atEnd)
  }

  @Test func theWriterOfABoundPairHearsThatItsReaderIsGone() {
    var rules = PairRules(boundBy: 4)
    _ = rules.open(.input)
    _ = rules.open(.output)
    _ = rules.close(.input)
    #expect(rules.output.failure == .closedByReader)
    #expect(rules.write(1).0 == .refuse)
  }

  /// Whatever happens in whatever order, counts stay right and no event comes twice in a row that
  /// must not.
  @Test(arguments: 0..<20 as Range<UInt64>) func anyOrderOfEventsKeepsTheRules(seed: UInt64) {
    var random = Seeded(seed)
    var rules = PairRules(boundBy: 16)
    var written = 0
    var read = 0
    for _ in 0..<500 {
      switch random.next() % 8 {
      case 0: _ = rules.open(.input)
      case 1: _ = rules.open(.output)
      case 2, 3:
        if case .take(let count) = rules.write(Int(random.next() % 10) + 1).0 { written += count }
      case 4, 5:
        if case .take(let count) = rules.read(Int(random.next() % 10) + 1).0 { read += count }
      case 6:
        while let event = rules.takeEvent(.input, besides: []) { #expect(event != .errorOccurred) }
      default: while rules.takeEvent(.output, besides: []) != nil {}
      }
      #expect(rules.input.available == rules.output.queued)
      #expect(written - read == rules.input.available)
      #expect(rules.input.available <= 16)
    }
  }

  private static func events(_ rules: inout InputRules) -> [Stream.Event] {
    var events: [Stream.Event] = []
    while let event = rules.event() {
      rules.tell(event)
      events.append(event)
    }
    return events
  }

  private static func events(_ rules: inout OutputRules) -> [Stream.Event] {
    var events: [Stream.Event] = []
    while let event = rules.event() {
      rules.tell(event)
      events.append(event)
    }
    return events
  }
}
