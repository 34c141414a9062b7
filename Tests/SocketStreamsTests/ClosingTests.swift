import Foundation
import Kernel
import TestSupport
import Testing

@testable import SocketStreams

/// The end of streams: what was written arrives, and nothing stays behind.
@Suite(.timeLimit(.minutes(2)))
struct ClosingTests {
  private static func noise(_ count: Int, _ seed: UInt64) -> [UInt8] {
    var generator = Seeded(seed)
    let pattern = (0..<4093).map { _ in UInt8.random(in: 0...3, using: &generator) }
    var bytes: [UInt8] = []
    while bytes.count < count { bytes += pattern.prefix(count - bytes.count) }
    return bytes
  }

  @Test func aMegabyteWrittenAndThenClosedArrives() async throws {
    let server = try BlockingSocket.listening()
    let bytes = ClosingTests.noise(1 << 20, 1)
    let reading = Side { try server.accept().receiveAll() }
    try await OwnThread.run {
      let pair = try StreamPair(to: server)
      pair.open()
      #expect(pair.output.writeAll(bytes))
      pair.close()
    }
    let received = try await reading.value
    #expect(received.bytes == bytes)
    #expect(received.end == .endOfStream)
  }

  @Test func aMegabyteArrivesAlthoughThePeerSendsWhatNobodyReads() async throws {
    let server = try BlockingSocket.listening()
    let bytes = ClosingTests.noise(1 << 20, 2)
    let reading = Side {
      let peer = try server.accept()
      try peer.send([UInt8](repeating: 9, count: 100_000))
      return peer.receiveAll()
    }
    try await OwnThread.run {
      let pair = try StreamPair(to: server)
      pair.open()
      #expect(pair.output.writeAll(bytes))
      pair.close()
    }
    let received = try await reading.value
    #expect(received.bytes == bytes)
    #expect(received.end == .endOfStream)
  }

  @Test(arguments: [3, 4, 5]) func aMegabyteGoesBothWaysInSegmentsOfAnySize(
    seed: UInt64
  ) async throws {
    let server = try BlockingSocket.listening()
    let there = ClosingTests.noise(1 << 20, seed)
    let back = ClosingTests.noise(1 << 20, seed + 100)
    let peerReads = Side { () -> (BlockingSocket, [UInt8]) in
      let peer = try server.accept()
      let sender = Thread {
        var generator = Seeded(seed + 1)
        var rest = back[...]
        while !rest.isEmpty {
          let count = min(rest.count, Int.random(in: 1...40_000, using: &generator))
          try? peer.send(Array(rest.prefix(count)))
          rest = rest.dropFirst(count)
        }
        try? peer.endStream()
      }
      sender.start()
      return (peer, peer.receiveAll().bytes)
    }
    let received = try await OwnThread.run {
      try ClosingTests.exchange(there, with: server, seed)
    }
    #expect(received == back)
    #expect(try await peerReads.value.1 == there)
  }

  /// Writes and reads at the same time, to both ends, in calls of any size.
  private static func exchange(
    _ bytes: [UInt8], with server: BlockingSocket, _ seed: UInt64
  ) throws -> [UInt8]? {
    let pair = try StreamPair(to: server)
    pair.open()
    // Guard of the `nonisolated(unsafe)`: streams may be used from two threads.
    nonisolated(unsafe) let output = pair.output
    let writer = Thread {
      var generator = Seeded(seed + 2)
      _ = unsafe output.writeAll(bytes) { Int.random(in: 1...30_000, using: &generator) }
      unsafe output.close()
    }
    writer.start()
    var generator = Seeded(seed + 3)
    let received = pair.input.readAll { Int.random(in: 1...50_000, using: &generator) }
    // The other thread closes the output when it has written everything.
    pair.input.close()
    return received
  }

  @Test func closingTheOutputEndsTheStreamAndLeavesTheInput() async throws {
    let server = try BlockingSocket.listening()
    try await OwnThread.run {
      let pair = try StreamPair(to: server)
      pair.open()
      let peer = try server.accept()
      #expect(pair.output.writeAll(Array("question".utf8)))
      pair.output.close()
      let question = peer.receive()
      #expect(question.text == "question")
      #expect(question.end == .endOfStream)
      try peer.send("answer")
      try peer.endStream()
      #expect(pair.input.readAll() == Array("answer".utf8))
      #expect(pair.output.streamStatus == .closed)
      #expect(!pair.output.writeAll([1]))
      pair.close()
    }
  }

  @Test func closingTheInputLeavesTheOutput() async throws {
    let server = try BlockingSocket.listening()
    try await OwnThread.run {
      let pair = try StreamPair(to: server)
      pair.open()
      let peer = try server.accept()
      pair.input.close()
      #expect(pair.output.writeAll(Array("still".utf8)))
      #expect(peer.receive(5) == Array("still".utf8))
      pair.output.close()
      #expect(peer.receiveAll().end == .endOfStream)
      #expect(pair.input.readOnce() == nil)
    }
  }

  @Test func streamsThatNobodyHoldsAreClosedAndLoseNothing() async throws {
    let server = try BlockingSocket.listening()
    try await OwnThread.run {
      do {
        let pair = try StreamPair(to: server)
        let recorder = Recorder(pair)
        pair.schedule()
        pair.open()
        #expect(OwnThread.runLoop { recorder.heard(.hasSpaceAvailable, \.output) })
        #expect(pair.output.writeAll(Array("farewell".utf8)))
      }
      let peer = try server.accept()
      let received = peer.receive()
      #expect(received.text == "farewell")
      #expect(received.end == .endOfStream)
    }
  }

  @Test func aStreamThatWasNeverOpenedDoesNotEndTheOthers() async throws {
    let server = try BlockingSocket.listening()
    try await OwnThread.run {
      var pair: StreamPair? = try StreamPair(to: server)
      let input = try #require(pair?.input)
      pair = nil
      input.open()
      let peer = try server.accept()
      try peer.send("a")
      #expect(input.readOnce() == Array("a".utf8))
      #expect(!peer.hasInput())
      input.close()
      #expect(peer.receiveAll().end == .endOfStream)
    }
  }

  @Test func aProcessThatExitsWaitsForWhatWasWritten() async throws {
    let server = try BlockingSocket.listening()
    try await OwnThread.run {
      let pair = try StreamPair(to: server)
      pair.open()
      let peer = try server.accept()
      #expect(pair.output.writeAll([UInt8](repeating: 1, count: 65_536)))
      let watch = DescriptorWatch(pair)
      watch.waitAsAnExit()
      pair.close()
      let reading = Side { peer.receiveAll() }
      watch.waitAsAnExit()
      #expect(!watch.isOpen)
      _ = reading
    }
  }

  @Test func aConnectionThatWasClosedLeavesNoDescriptor() async throws {
    let server = try BlockingSocket.listening()
    try await OwnThread.run {
      let pair = try StreamPair(to: server)
      pair.open()
      let peer = try server.accept()
      pair.waitUntilOpen()
      let watch = DescriptorWatch(pair)
      #expect(watch.isOpen)
      pair.close()
      try peer.endStream()
      #expect(peer.receiveAll().end == .endOfStream)
      watch.waitUntilClosed()
      #expect(!watch.isOpen)
      #expect(pair.input.property(forKey: .socketNativeHandle) == nil)
    }
  }

  @Test func closingWhileConnectingGivesUp() async throws {
    try await OwnThread.run {
      // A name that takes a while, or none: both are fine.
      let pair = StreamPair(host: "192.0.2.1", port: 9)
      pair.open()
      let watch = DescriptorWatch(pair)
      pair.close()
      #expect(pair.both.allSatisfy { $0.streamStatus == .closed })
      watch.waitUntilClosed()
      #expect(!watch.isOpen)
    }
  }
}
