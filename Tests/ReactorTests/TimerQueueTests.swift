import Kernel
import TestSupport
import Testing

@testable import Reactor

@Suite struct TimerQueueTests {
  private let alarm = Alarm()
  private var queue = TimerQueue()

  private static func at(_ nanoseconds: UInt64) -> Instant { Instant(nanoseconds: nanoseconds) }

  private mutating func expire(_ now: UInt64) -> [UInt32] {
    var tags: [UInt32] = []
    while let (_, tag) = queue.popExpired(TimerQueueTests.at(now)) { tags.append(tag) }
    return tags
  }

  @Test mutating func timersExpireInTheOrderOfTheirDeadlines() {
    for (tag, deadline) in [(1, 30), (2, 10), (3, 20)] as [(UInt32, UInt64)] {
      _ = queue.insert(TimerQueueTests.at(deadline), alarm, tag: tag)
    }
    #expect(queue.next == TimerQueueTests.at(10))
    #expect(expire(9) == [])
    #expect(expire(20) == [2, 3])
    #expect(queue.next == TimerQueueTests.at(30))
    #expect(expire(100) == [1])
    #expect(queue.next == nil)
  }

  @Test mutating func aCancelledTimerIsGoneAtOnce() {
    let token = queue.insert(TimerQueueTests.at(10), alarm, tag: 1)
    _ = queue.insert(TimerQueueTests.at(20), alarm, tag: 2)
    queue.cancel(token)
    #expect(queue.count == 1)
    #expect(queue.next == TimerQueueTests.at(20))
    #expect(expire(100) == [2])
  }

  @Test mutating func cancellingWhatHasFiredSparesWhoReusesItsPlace() {
    let old = queue.insert(TimerQueueTests.at(10), alarm, tag: 1)
    #expect(expire(10) == [1])
    let new = queue.insert(TimerQueueTests.at(20), alarm, tag: 2)
    #expect(old.slot == new.slot)
    queue.cancel(old)
    queue.cancel(old)
    #expect(expire(20) == [2])
  }

  @Test mutating func cancellingTwiceCancelsOnce() {
    let token = queue.insert(TimerQueueTests.at(10), alarm, tag: 1)
    queue.cancel(token)
    queue.cancel(token)
    _ = queue.insert(TimerQueueTests.at(10), alarm, tag: 2)
    _ = queue.insert(TimerQueueTests.at(11), alarm, tag: 3)
    #expect(expire(20) == [2, 3])
  }

  /// The same operations on the queue and on a list that is searched from end to end.
  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func theQueueDoesWhatAPlainListWouldDo(seed: UInt64) {
    var generator = Seeded(seed)
    var queue = TimerQueue()
    var model: [(deadline: UInt64, tag: UInt32, token: TimerToken)] = []
    var gone: [TimerToken] = []
    var now: UInt64 = 0
    for tag in 0..<2000 as Range<UInt32> {
      switch Int.random(in: 0..<10, using: &generator) {
      case 0..<5:
        let deadline = now + UInt64.random(in: 0..<50, using: &generator)
        let token = queue.insert(Instant(nanoseconds: deadline), alarm, tag: tag)
        model.append((deadline, tag, token))
      case 5..<7:
        guard let index = model.indices.randomElement(using: &generator) else { continue }
        let removed = model.remove(at: index)
        queue.cancel(removed.token)
        gone.append(removed.token)
      case 7:
        if let token = gone.randomElement(using: &generator) { queue.cancel(token) }
      default:
        now += UInt64.random(in: 0..<40, using: &generator)
        let expected = model.filter { $0.deadline <= now }
        model.removeAll { $0.deadline <= now }
        gone += expected.map(\.token)
        var fired: [UInt32] = []
        while let (_, tag) = queue.popExpired(Instant(nanoseconds: now)) { fired.append(tag) }
        let deadlines = Dictionary(uniqueKeysWithValues: expected.map { ($0.tag, $0.deadline) })
        #expect(Set(fired) == Set(expected.map(\.tag)))
        #expect(fired.map { deadlines[$0] ?? 0 } == expected.map(\.deadline).sorted())
      }
      #expect(queue.count == model.count)
      #expect(queue.next?.nanoseconds == model.map(\.deadline).min())
    }
  }
}
