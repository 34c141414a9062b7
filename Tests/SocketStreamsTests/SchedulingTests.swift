import Foundation
import Kernel
import SocketStreams
import TestSupport
import Testing

/// Run loops, their modes, and queues.
@Suite(.timeLimit(.minutes(2)))
struct SchedulingTests {
  private static let ownMode = RunLoop.Mode("adit.tests.own")

  @Test func eventsComeInTheModesThatAStreamIsScheduledIn() async throws {
    let server = try BlockingSocket.listening()
    try await OwnThread.run {
      let pair = try StreamPair(to: server)
      let recorder = Recorder(pair)
      pair.schedule(mode: SchedulingTests.ownMode)
      pair.open()
      let peer = try server.accept()
      pair.waitUntilOpen()
      // In another mode nothing is heard, though the run loop runs.
      _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.05))
      #expect(recorder.input.isEmpty && recorder.output.isEmpty)
      #expect(
        OwnThread.runLoop(mode: SchedulingTests.ownMode) {
          recorder.output.count == 2 && recorder.input.count == 1
        })
      try peer.endStream()
      pair.close()
    }
  }

  @Test func aStreamThatWasRemovedIsSilentUntilItIsScheduledAgain() async throws {
    let server = try BlockingSocket.listening()
    try await OwnThread.run {
      let pair = try StreamPair(to: server)
      let recorder = Recorder(pair)
      pair.schedule()
      pair.open()
      let peer = try server.accept()
      #expect(
        OwnThread.runLoop { recorder.output.count == 2 && recorder.input.count == 1 })
      pair.input.remove(from: .current, forMode: .default)
      try peer.send("x")
      while !pair.input.hasBytesAvailable { sched_yield() }
      _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.05))
      #expect(recorder.input == [.openCompleted])
      pair.input.schedule(in: .current, forMode: SchedulingTests.ownMode)
      #expect(OwnThread.runLoop(mode: SchedulingTests.ownMode) { recorder.input.count == 2 })
      #expect(recorder.input.last == .hasBytesAvailable)
      pair.close()
    }
  }

  @Test func aStreamInTheCommonModesIsHeardInNestedRuns() async throws {
    let server = try BlockingSocket.listening()
    try await OwnThread.run {
      let pair = try StreamPair(to: server)
      let recorder = Recorder(pair)
      var depth = 0
      var deepest = 0
      recorder.react = { stream, event in
        depth += 1
        deepest = max(deepest, depth)
        // The handler of one event runs the run loop until the next has come.
        if event == .hasBytesAvailable, recorder.input.filter({ $0 == event }).count == 1 {
          _ = (stream as? InputStream)?.readOnce(1)
          OwnThread.runLoop { recorder.input.filter { $0 == event }.count == 2 }
        }
        depth -= 1
      }
      pair.schedule(mode: .common)
      pair.open()
      let peer = try server.accept()
      try peer.send("xy")
      #expect(
        OwnThread.runLoop { recorder.input.filter { $0 == .hasBytesAvailable }.count == 2 })
      #expect(deepest == 2)
      recorder.react = { _, _ in }
      pair.close()
    }
  }

  @Test func aStreamMayBeScheduledInAnotherThreadsRunLoop() async throws {
    let server = try BlockingSocket.listening()
    let loops = LoopThread()
    let other = loops.start()
    try await OwnThread.run {
      let pair = try StreamPair(to: server)
      let recorder = Recorder(pair)
      for stream in pair.both { stream.schedule(in: other.loop, forMode: .default) }
      pair.open()
      let peer = try server.accept()
      try peer.send("x")
      loops.wait { recorder.input.count == 2 && recorder.output.count == 2 }
      #expect(loops.read { recorder.threads } == [loops.identity])
      #expect(loops.read { recorder.input } == [.openCompleted, .hasBytesAvailable])
      for stream in pair.both { stream.remove(from: other.loop, forMode: .default) }
      pair.close()
    }
    loops.stop()
  }

  @Test func eventsMayComeOnAQueue() async throws {
    let server = try BlockingSocket.listening()
    let queue = DispatchQueue(label: "adit.tests.streams")
    try await OwnThread.run {
      let pair = try StreamPair(to: server)
      let recorder = Recorder(pair)
      let isEnough = DispatchSemaphore(value: 0)
      recorder.react = { stream, event in
        dispatchPrecondition(condition: .onQueue(queue))
        if event == .hasBytesAvailable { _ = (stream as? InputStream)?.readOnce() }
        if event == .endEncountered { isEnough.signal() }
      }
      pair.schedule()
      CFReadStreamSetDispatchQueue(pair.input, queue)
      CFWriteStreamSetDispatchQueue(pair.output, queue)
      #expect(CFReadStreamCopyDispatchQueue(pair.input) === queue)
      pair.open()
      let peer = try server.accept()
      try peer.send("x")
      try peer.endStream()
      #expect(isEnough.wait(timeout: .now() + OwnThread.patience) == .success)
      queue.sync {
        #expect(recorder.input.last == .endEncountered)
        #expect(recorder.output == [.openCompleted, .hasSpaceAvailable])
      }
      CFReadStreamSetDispatchQueue(pair.input, nil)
      pair.close()
      queue.sync {}
    }
  }

  @Test func aStreamInTwoRunLoopsTellsEachEventOnce() async throws {
    let server = try BlockingSocket.listening()
    let loops = LoopThread()
    let other = loops.start()
    try await OwnThread.run {
      let pair = try StreamPair(to: server)
      let counted = Lock<[Stream.Event]>([])
      let counter = Counter(counted)
      pair.input.delegate = counter
      pair.input.schedule(in: .current, forMode: .default)
      pair.input.schedule(in: other.loop, forMode: .default)
      pair.open()
      let peer = try server.accept()
      try peer.send("x")
      #expect(OwnThread.runLoop { counted.withLock { $0.count == 2 } })
      #expect(counted.withLock { $0 } == [.openCompleted, .hasBytesAvailable])
      pair.close()
    }
    loops.stop()
  }

  private final class Counter: NSObject, StreamDelegate {
    private let events: Lock<[Stream.Event]>

    init(_ events: Lock<[Stream.Event]>) {
      self.events = events
    }

    func stream(_ stream: Stream, handle event: Stream.Event) {
      events.withLock { $0.append(event) }
    }
  }
}
