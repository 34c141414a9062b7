import Foundation
import Kernel
import SocketStreams
import TestSupport
import Testing

/// What delegates hear, and when.
@Suite(.timeLimit(.minutes(2)))
struct EventTests {
  @Test func openCompletedComesFirstAndThenRoom() async throws {
    let server = try BlockingSocket.listening()
    try await OwnThread.run {
      let pair = try StreamPair(to: server)
      let recorder = Recorder(pair)
      pair.schedule()
      #expect(pair.input.streamStatus == .notOpen)
      pair.open()
      let peer = try server.accept()
      #expect(OwnThread.runLoop { recorder.output.count == 2 && recorder.input.count == 1 })
      #expect(recorder.input == [.openCompleted])
      #expect(recorder.output == [.openCompleted, .hasSpaceAvailable])
      #expect(pair.both.allSatisfy { $0.streamStatus == .open })
      try peer.endStream()
      pair.close()
    }
  }

  @Test func bytesAreToldOnceUntilSomethingIsRead() async throws {
    let server = try BlockingSocket.listening()
    try await OwnThread.run {
      let pair = try StreamPair(to: server)
      let recorder = Recorder(pair)
      pair.schedule()
      pair.open()
      let peer = try server.accept()
      try peer.send("abc")
      #expect(
        OwnThread.runLoop {
          recorder.heard(.hasBytesAvailable, \.input) && recorder.output.count == 2
        })
      try peer.send("def")
      // The other stream's turns show that the run loop runs and nothing is told again.
      for turn in 2...4 {
        #expect(pair.output.writeAll([0]))
        #expect(
          OwnThread.runLoop { recorder.output.filter { $0 == .hasSpaceAvailable }.count == turn })
      }
      #expect(recorder.input == [.openCompleted, .hasBytesAvailable])
      #expect(pair.input.readOnce(1) == Array("a".utf8))
      #expect(OwnThread.runLoop { recorder.input.count == 3 })
      #expect(recorder.input.last == .hasBytesAvailable)
      pair.close()
    }
  }

  @Test func roomIsToldOnceUntilSomethingIsWritten() async throws {
    let server = try BlockingSocket.listening()
    try await OwnThread.run {
      let pair = try StreamPair(to: server)
      let recorder = Recorder(pair)
      recorder.react = { stream, event in
        if event == .hasBytesAvailable { _ = (stream as? InputStream)?.readOnce() }
      }
      pair.schedule()
      pair.open()
      let peer = try server.accept()
      #expect(OwnThread.runLoop { recorder.heard(.hasSpaceAvailable, \.output) })
      for count in 1...3 {
        try peer.send("x")
        #expect(
          OwnThread.runLoop { recorder.input.filter { $0 == .hasBytesAvailable }.count == count })
      }
      #expect(recorder.output == [.openCompleted, .hasSpaceAvailable])
      #expect(pair.output.writeAll([1]))
      #expect(OwnThread.runLoop { recorder.output.count == 3 })
      #expect(recorder.output.last == .hasSpaceAvailable)
      pair.close()
    }
  }

  @Test func theEndIsToldOnceAndAfterTheLastByte() async throws {
    let server = try BlockingSocket.listening()
    try await OwnThread.run {
      let pair = try StreamPair(to: server)
      let recorder = Recorder(pair)
      pair.schedule()
      pair.open()
      let peer = try server.accept()
      try peer.send("last")
      try peer.endStream()
      #expect(OwnThread.runLoop { recorder.heard(.hasBytesAvailable, \.input) })
      #expect(!recorder.heard(.endEncountered, \.input))
      #expect(pair.input.streamStatus == .open)
      #expect(pair.input.readOnce() == Array("last".utf8))
      #expect(OwnThread.runLoop { recorder.heard(.endEncountered, \.input) })
      #expect(pair.input.streamStatus == .atEnd)
      #expect(pair.input.readOnce() == [])
      #expect(!pair.input.hasBytesAvailable)
      // The other direction goes on.
      #expect(pair.output.writeAll(Array("more".utf8)))
      #expect(peer.receive(4) == Array("more".utf8))
      #expect(recorder.input.filter { $0 == .endEncountered }.count == 1)
      pair.close()
    }
  }

  @Test func aRefusedConnectionIsAnErrorOfBothStreams() async throws {
    let port = try await OwnThread.run {
      try BlockingSocket.listening().address.port ?? 0
    }
    try await OwnThread.run {
      let pair = StreamPair(host: "127.0.0.1", port: Int(port))
      let recorder = Recorder(pair)
      pair.schedule()
      pair.open()
      #expect(
        OwnThread.runLoop {
          recorder.heard(.errorOccurred, \.input) && recorder.heard(.errorOccurred, \.output)
        })
      #expect(recorder.input == [.errorOccurred])
      #expect(recorder.output == [.errorOccurred])
      for stream in pair.both {
        let error = try #require(stream.streamError as NSError?)
        #expect(error.domain == NSPOSIXErrorDomain)
        #expect(error.code == Int(ECONNREFUSED))
        #expect(stream.streamStatus == .error)
      }
      #expect(pair.input.readOnce() == nil)
      #expect(!pair.output.writeAll([1]))
      #expect(CFReadStreamGetError(pair.input).error == ECONNREFUSED)
      pair.close()
      #expect(pair.input.streamStatus == .closed)
    }
  }

  @Test func aResetIsAnErrorOfBothStreams() async throws {
    let server = try BlockingSocket.listening()
    try await OwnThread.run {
      let pair = try StreamPair(to: server)
      let recorder = Recorder(pair)
      pair.schedule()
      pair.open()
      do {
        let peer = try server.accept()
        peer.resetOnClose()
      }
      #expect(
        OwnThread.runLoop {
          recorder.heard(.errorOccurred, \.input) && recorder.heard(.errorOccurred, \.output)
        })
      #expect((pair.input.streamError as NSError?)?.code == Int(ECONNRESET))
      pair.close()
    }
  }

  @Test func nothingIsToldAfterClose() async throws {
    let server = try BlockingSocket.listening()
    try await OwnThread.run {
      let pair = try StreamPair(to: server)
      let other = try StreamPair(to: server)
      let recorder = Recorder(pair)
      let otherRecorder = Recorder(other)
      recorder.react = { _, event in if event == .hasBytesAvailable { pair.close() } }
      for each in [pair, other] {
        each.schedule()
        each.open()
        let peer = try server.accept()
        try peer.send("x")
        try peer.endStream()
        _ = peer.receiveAll(limit: 0)
      }
      otherRecorder.react = { stream, event in
        if event == .hasBytesAvailable { _ = (stream as? InputStream)?.readOnce() }
      }
      #expect(OwnThread.runLoop { otherRecorder.heard(.endEncountered, \.input) })
      #expect(OwnThread.runLoop { recorder.heard(.hasBytesAvailable, \.input) })
      #expect(recorder.input.last == .hasBytesAvailable)
      #expect(pair.input.readOnce() == nil)
      recorder.react = { _, _ in }
      other.close()
    }
  }

  @Test func aStreamIsItsOwnDelegateUnlessItHasAnother() async throws {
    let server = try BlockingSocket.listening()
    try await OwnThread.run {
      let pair = try StreamPair(to: server)
      for stream in pair.both { #expect(stream.delegate === stream) }
      do {
        let recorder = Recorder(pair)
        #expect(pair.input.delegate === recorder)
      }
      // The delegate is not retained.
      #expect(pair.input.delegate === pair.input)
      let recorder = Recorder(pair)
      pair.input.delegate = nil
      #expect(pair.input.delegate === pair.input)
      #expect(pair.output.delegate === recorder)
    }
  }
}
