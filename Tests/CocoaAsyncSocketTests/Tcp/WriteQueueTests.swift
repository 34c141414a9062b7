import Foundation
import Kernel
import TestSupport
import Testing

@testable import CocoaAsyncSocket

@Suite("The queue of writes")
struct WriteQueueTests {
  @Test(
    "writes go out whole and in order, however much is taken at a time",
    arguments: 0..<20 as Range<UInt64>)
  func writesGoOutInOrder(seed: UInt64) {
    var random = Seeded(seed)
    var queue = WriteQueue()
    var wanted: [UInt8] = []
    for tag in 0..<200 {
      let count =
        random.chance(5)
        ? Int.random(in: 16_000...40_000, using: &random)
        : Int.random(in: 1...300, using: &random)
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      wanted += bytes
      queue.append(
        .operation(WriteOperation(Data(bytes), number: UInt64(tag), timeout: nil, tag: tag)))
    }
    var sent: [UInt8] = []
    var completed: [Int] = []
    var scratch = [UInt8](repeating: 0, count: 65_536)
    while true {
      let step = queue.next()
      var portion: [UInt8] = []
      switch step {
      case .idle, .secure:
        #expect(sent == wanted, "seed \(seed)")
        #expect(completed == Array(0..<200))
        let rest = queue.byteCount
        #expect(rest == 0)
        return
      case .writeCurrent: queue.withCurrent { portion.append($0) }
      case .writeGathered:
        var span = scratch.mutableSpan
        var bytes = span.mutableOctets
        let count = queue.gather(into: &bytes)
        portion.append(bytes.bytes.extracting(first: count))
      }
      let taken = Int.random(in: 1...portion.count, using: &random)
      sent += portion[..<taken]
      queue.advance(taken) { completed.append($0.tag) }
    }
  }

  @Test func smallWritesAreSentTogetherUpToTheMarkerOfTLS() {
    var queue = WriteQueue()
    for tag in 0..<10 {
      queue.append(.operation(WriteOperation(Data([1]), number: 1, timeout: nil, tag: tag)))
    }
    queue.append(.secure)
    queue.append(.operation(WriteOperation(Data([2]), number: 1, timeout: nil, tag: 10)))
    guard case .writeGathered = queue.next() else {
      Issue.record("ten writes of one byte are one")
      return
    }
    var scratch = [UInt8](repeating: 0, count: 100)
    var span = scratch.mutableSpan
    var bytes = span.mutableOctets
    let gathered = queue.gather(into: &bytes)
    #expect(gathered == 10)
    queue.advance(10) { _ in }
    guard case .secure = queue.next() else {
      Issue.record("then comes TLS")
      return
    }
    let isAtSecure = queue.isAtSecure
    #expect(isAtSecure)
    queue.passSecure()
    guard case .writeCurrent = queue.next() else {
      Issue.record("then the last write")
      return
    }
  }
}
