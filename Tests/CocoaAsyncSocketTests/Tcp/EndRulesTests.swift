import Testing

@testable import CocoaAsyncSocket

@Suite("When a connection ends")
struct EndRulesTests {
  @Test func aPeersEndWaitsForWhatIsStillToBeReadAndWritten() {
    var rules = EndRules()
    #expect(rules.verdict(reads: .busy, writes: .idle, keptBytes: 0) == .goOn)
    rules.peerHasEnded = true
    #expect(rules.verdict(reads: .idle, writes: .idle, keptBytes: 1) == .goOn)
    #expect(rules.verdict(reads: .idle, writes: .busy, keptBytes: 0) == .goOn)
    #expect(rules.verdict(reads: .idle, writes: .idle, keptBytes: 0) == .peerClosed)
    // A read that asks for more than there is.
    #expect(rules.verdict(reads: .busy, writes: .idle, keptBytes: 1) == .peerClosed)
  }

  @Test func halfCloseKeepsTheConnectionUntilAWriteFails() {
    var rules = EndRules()
    rules.allowsHalfClose = true
    rules.peerHasEnded = true
    #expect(rules.verdict(reads: .idle, writes: .idle, keptBytes: 0) == .goOn)
    rules.noteWriteFailure()
    #expect(rules.verdict(reads: .idle, writes: .idle, keptBytes: 0) == .writeFailed)
  }

  @Test func afterAFailedWriteTheRestIsReadFirst() {
    var rules = EndRules()
    rules.noteWriteFailure()
    #expect(rules.verdict(reads: .idle, writes: .idle, keptBytes: 5) == .goOn)
    #expect(rules.verdict(reads: .busy, writes: .idle, keptBytes: 0) == .goOn)
    rules.peerHasEnded = true
    #expect(rules.verdict(reads: .idle, writes: .idle, keptBytes: 5) == .goOn)
    #expect(rules.verdict(reads: .busy, writes: .idle, keptBytes: 0) == .writeFailed)
    #expect(rules.verdict(reads: .idle, writes: .idle, keptBytes: 0) == .writeFailed)
    rules.waitedForReads = true
    #expect(rules.verdict(reads: .idle, writes: .idle, keptBytes: 5) == .writeFailed)
  }

  @Test func aWriteThatFailsAfterThePeersEndIsThePeersEnd() {
    var rules = EndRules()
    rules.peerHasEnded = true
    rules.noteWriteFailure()
    #expect(rules.verdict(reads: .idle, writes: .idle, keptBytes: 0) == .peerClosed)
  }

  @Test(arguments: [(true, false), (false, true), (true, true)])
  func theWishToEndWaitsForTheQueuesItNames(reading: Bool, writing: Bool) {
    var rules = EndRules()
    rules.endsAfterReading = reading
    rules.endsAfterWriting = writing
    #expect(rules.isEnding)
    #expect(
      rules.verdict(reads: .busy, writes: .idle, keptBytes: 0) == (reading ? .goOn : .done))
    #expect(
      rules.verdict(reads: .idle, writes: .busy, keptBytes: 0) == (writing ? .goOn : .done))
    #expect(rules.verdict(reads: .idle, writes: .idle, keptBytes: 0) == .done)
    rules.peerHasEnded = true
    // What the peer has ended does not stop what is to be written to it.
    #expect(
      rules.verdict(reads: .idle, writes: .busy, keptBytes: 0) == (writing ? .goOn : .done))
    #expect(
      rules.verdict(reads: .busy, writes: .idle, keptBytes: 0) == (reading ? .peerClosed : .done))
  }
}
