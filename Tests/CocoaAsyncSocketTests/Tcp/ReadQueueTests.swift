import Foundation
import Kernel
import TestSupport
import Testing

@testable import CocoaAsyncSocket

@Suite("The queue of reads")
struct ReadQueueTests {
  /// What a read brought, or that its separator did not come in time.
  enum Result: Equatable {
    case bytes([UInt8])
    case tooLong
  }

  /// Serves reads with bytes that come in these pieces.
  private func serve(_ goals: [ReadGoal], _ pieces: [[UInt8]]) -> (results: [Result], kept: Int) {
    var queue = ReadQueue()
    for (index, goal) in goals.enumerated() {
      queue.append(.operation(ReadOperation(goal, number: UInt64(index), timeout: nil, tag: index)))
    }
    var results: [Result] = []
    func advance() -> Bool {
      while true {
        switch queue.next() {
        case .completed(let operation): results.append(.bytes(Array(operation.bytes)))
        case .tooLong:
          results.append(.tooLong)
          return false
        case .idle, .read: return true
        case .secure: return false
        }
      }
    }
    guard advance() else { return (results, queue.keptCount) }
    for piece in pieces {
      queue.receive(piece.span.octets)
      guard advance() else { break }
    }
    return (results, queue.keptCount)
  }

  /// The same by trying every place of the whole.
  private func expected(_ separator: [UInt8], limit: Int, _ whole: [UInt8]) -> [Result] {
    var results: [Result] = []
    var start = 0
    while true {
      let rest = Array(whole[start...])
      let end = (0...max(0, rest.count - separator.count)).first {
        Array(rest.dropFirst($0).prefix(separator.count)) == separator
      }.map { $0 + separator.count }
      if let end, end <= limit {
        results.append(.bytes(Array(rest[..<end])))
        start += end
      } else {
        if rest.count >= limit { results.append(.tooLong) }
        return results
      }
    }
  }

  @Test(
    "a separator is found wherever the stream is cut, and its limit is exact",
    arguments: 0..<40 as Range<UInt64>)
  func separatorsAreFoundAtEverySegmentation(seed: UInt64) {
    var random = Seeded(seed)
    for _ in 0..<200 {
      // Two letters, so that beginnings of the separator are everywhere.
      let separator = (0..<Int.random(in: 1...5, using: &random)).map { _ in
        UInt8.random(in: 97...98, using: &random)
      }
      let whole = (0..<Int.random(in: 0...40, using: &random)).map { _ in
        UInt8.random(in: 97...98, using: &random)
      }
      let limit = Int.random(in: separator.count...30, using: &random)
      var pieces: [[UInt8]] = []
      var start = 0
      while start < whole.count {
        let end = min(whole.count, start + Int.random(in: 1...7, using: &random))
        pieces.append(Array(whole[start..<end]))
        start = end
      }
      let goals = [ReadGoal](repeating: .separator(separator, limit: limit), count: 50)
      let results = serve(goals, pieces).results
      #expect(
        results == expected(separator, limit: limit, whole),
        "seed \(seed): \(separator) within \(limit) in \(pieces)")
    }
  }

  @Test func mixedReadsCutTheStreamWithoutLosingAByte() {
    let (results, kept) = serve(
      [
        .length(3), .separator([10], limit: .max), .available(limit: 2), .available(limit: .max),
        .length(4),
      ],
      [Array("abcd".utf8), Array("ef\nghij".utf8), Array("klmnop".utf8)])
    let texts = results.map { result -> String in
      if case .bytes(let bytes) = result { String(decoding: bytes, as: UTF8.self) } else { "-" }
    }
    #expect(texts == ["abc", "def\n", "gh", "ij", "klmn"])
    #expect(kept == 2)
  }

  @Test func whatIsKeptComesBackWhenAReadIsDropped() {
    var queue = ReadQueue()
    queue.append(.operation(ReadOperation(.length(10), number: 1, timeout: nil, tag: 1)))
    _ = queue.next()
    queue.receive([1, 2, 3].span.octets)
    let dropped = queue.dropCurrent()
    #expect(dropped?.tag == 1)
    let kept = queue.keptCount
    #expect(kept == 3)
    queue.append(
      .operation(ReadOperation(.available(limit: .max), number: 2, timeout: nil, tag: 2)))
    guard case .completed(let operation) = queue.next() else {
      Issue.record("the next read has bytes")
      return
    }
    #expect(Array(operation.bytes) == [1, 2, 3])
  }

  @Test func theMarkerOfTLSStopsReadingInClear() {
    var queue = ReadQueue()
    queue.append(.operation(ReadOperation(.length(2), number: 1, timeout: nil, tag: 1)))
    queue.append(.secure)
    _ = queue.next()
    queue.receive([1, 2, 22, 3, 1].span.octets)
    guard case .completed = queue.next(), case .secure = queue.next() else {
      Issue.record("first the read, then the marker")
      return
    }
    let isAtSecure = queue.isAtSecure
    #expect(isAtSecure)
    let early = queue.takeKept()
    #expect(early == [22, 3, 1])
    queue.passSecure()
    let isIdle = queue.isIdle
    #expect(isIdle)
  }
}
