import Foundation
import Kernel
import SocketStreams
import TestSupport
import Testing

/// Streams without a run loop: calls that wait.
@Suite(.timeLimit(.minutes(2)))
struct PollingTests {
  @Test func aReadWaitsUntilSomethingIsThere() async throws {
    let server = try BlockingSocket.listening()
    let answer = Side {
      let peer = try server.accept()
      let question = peer.receive(3)
      try peer.send(question.reversed())
      return peer.receiveAll()
    }
    try await OwnThread.run {
      let pair = try StreamPair(to: server)
      pair.open()
      // A write waits for the connection, a read for the peer.
      #expect(pair.output.writeAll([0, 1, 0]))
      #expect(pair.input.readOnce() == [0, 1, 0])
      pair.close()
    }
    #expect(try await answer.value.end == .endOfStream)
  }

  @Test func pollingSeesBytesAndRoomWithoutARunLoop() async throws {
    let server = try BlockingSocket.listening()
    try await OwnThread.run {
      let pair = try StreamPair(to: server)
      #expect(!pair.output.hasSpaceAvailable)
      pair.open()
      let peer = try server.accept()
      pair.waitUntilOpen()
      #expect(pair.output.hasSpaceAvailable)
      #expect(!pair.input.hasBytesAvailable)
      try peer.send([0, 0, 7])
      while !pair.input.hasBytesAvailable { sched_yield() }
      #expect(pair.input.readOnce() == [0, 0, 7])
      pair.close()
    }
  }

  @Test func aWriteWaitsWhileThereIsNoRoom() async throws {
    let server = try BlockingSocket.listening()
    let much = [UInt8](repeating: 0, count: 16 << 20)
    let writing = Side {
      let pair = try StreamPair(to: server)
      pair.open()
      let isWritten = pair.output.writeAll(much)
      pair.close()
      return isWritten
    }
    let received = try await OwnThread.run { try server.accept().receiveAll() }
    #expect(received.bytes == much)
    #expect(received.end == .endOfStream)
    #expect(try await writing.value)
  }

  @Test func aPeerThatDoesNotReadStopsTheWriter() async throws {
    let server = try BlockingSocket.listening()
    try await OwnThread.run {
      let pair = try StreamPair(to: server)
      pair.open()
      let peer = try server.accept()
      var written = 0
      pair.waitUntilOpen()
      let block = [UInt8](repeating: 1, count: 65_536)
      // The kernel's buffers hold a few MiB; nobody else holds more than 64 KiB.
      let limit = 64 << 20
      var refusals = 0
      while refusals < 20_000, written < limit {
        guard pair.output.hasSpaceAvailable else {
          refusals += 1
          sched_yield()
          continue
        }
        refusals = 0
        written += unsafe pair.output.write(block, maxLength: block.count)
      }
      #expect(written < limit)
      // Closing loses nothing of it.
      pair.close()
      #expect(peer.receiveAll().bytes.count == written)
    }
  }

  @Test func aReadThatWaitsEndsWhenTheStreamIsClosed() async throws {
    let server = try BlockingSocket.listening()
    try await OwnThread.run {
      let pair = try StreamPair(to: server)
      pair.open()
      let peer = try server.accept()
      // Guard of the `nonisolated(unsafe)`: streams may be used from two threads.
      nonisolated(unsafe) let input = pair.input
      let ended = DispatchSemaphore(value: 0)
      let thread = Thread {
        #expect(unsafe input.readOnce() == nil)
        ended.signal()
      }
      thread.start()
      while pair.input.streamStatus != .reading { sched_yield() }
      pair.input.close()
      ended.wait()
      #expect(pair.output.writeAll([1]))
      #expect(peer.receive(1) == [1])
      pair.close()
    }
  }
}
