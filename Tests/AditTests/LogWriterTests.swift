import Kernel
import Testing

@testable import AditCommands

/// The thread that writes.
@Suite struct LogWriterTests {
  /// Keeps what is written; the first write waits until it is let go.
  private final class SlowOutput: LogOutput {
    struct State {
      var lines: [String] = []
      var dropped = 0
      var isHeld = true
      var hasBegun = false
      var hasEnded = false
    }

    let state = Monitor(State())

    func write(_ entries: [LogEntry], dropped: Int) {
      state.withLock { state in
        state.hasBegun = true
        state.dropped += dropped
        for case .line(let line) in entries { state.lines.append(line) }
      }
      state.signal()
      _ = state.wait { $0.isHeld ? nil : () }
    }

    func end() { state.withLock { $0.hasEnded = true } }

    func release() {
      state.withLock { $0.isHeld = false }
      state.signal()
    }
  }

  @Test("Everything is written in order before the end")
  func writesAll() throws {
    let output = SlowOutput()
    output.release()
    let writer = try LogWriter(name: "test", output: output)
    for number in 0..<1000 { writer.append(.line("\(number)")) }
    writer.finish(within: .seconds(30))
    let state = output.state.withLock { $0 }
    #expect(state.lines == (0..<1000).map { "\($0)" })
    #expect(state.hasEnded)
    #expect(state.dropped == 0)
  }

  @Test("A reader that stalls costs lines, which are counted, and no waiting")
  func countsDropped() throws {
    let output = SlowOutput()
    let writer = try LogWriter(name: "test", output: output)
    writer.append(.line("first"))
    _ = output.state.wait(until: Instant.now() + .seconds(30)) { $0.hasBegun ? () : nil }
    for _ in 0..<LogWriter.entryLimit + 7 { writer.append(.line("more")) }
    output.release()
    writer.finish(within: .seconds(30))
    let state = output.state.withLock { $0 }
    #expect(state.lines.count == LogWriter.entryLimit + 1)
    #expect(state.dropped == 7)
  }

  @Test("The end waits for a stalled reader only so long")
  func endsAnyway() throws {
    let output = SlowOutput()
    let writer = try LogWriter(name: "test", output: output)
    writer.append(.line("first"))
    _ = output.state.wait(until: Instant.now() + .seconds(30)) { $0.hasBegun ? () : nil }
    writer.finish(within: .milliseconds(10))
    #expect(!output.state.withLock { $0.hasEnded })
    output.release()
    // A second end, with the reader awake, takes the thread back.
    writer.finish(within: .seconds(30))
    #expect(output.state.withLock { $0.hasEnded })
  }
}
