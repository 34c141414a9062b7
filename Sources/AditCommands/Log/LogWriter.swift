internal import Kernel
internal import Relay

/// One thing on its way to a stream.
enum LogEntry: Sendable {
  /// A line for standard error, without its end.
  case line(String)
  /// A flow for the access log, written out by the writer's thread.
  case flow(FlowRecord)
  /// The live line of a terminal; nil takes it away.
  case live(String?)
}

/// A thread that writes, so that a reader who does not read stops nobody else.
///
/// 1. any thread appends; beyond `entryLimit` what comes is counted and dropped;
/// 2. the first entry wakes the writer, which takes all there are and writes them;
/// 3. then it pauses for `pause`: in busy times the lines of that long are written at once and
///    nobody is woken for each;
/// 4. `finish` waits until everything is written, or for a limit when nobody reads.
final class LogWriter: Sendable {
  /// Entries that wait for the writer; with some 250 bytes each, about 1 MiB.
  static let entryLimit = 4096
  /// Time in which lines are gathered after some were written.
  static let pause = Duration.milliseconds(50)

  private struct State {
    var entries: [LogEntry] = []
    var dropped = 0
    var writerWaits = false
    var isEnding = false
    var hasEnded = false
  }

  private let state = Monitor(State())
  private let output: any LogOutput
  private let thread = Lock<KernelThread?>(nil)

  /// Starts the thread.
  init(name: String, output: any LogOutput) throws(Errno) {
    self.output = output
    let thread = try KernelThread(name: name) { self.run() }
    self.thread.withLock { $0 = thread }
  }

  /// Puts an entry in, or counts it as dropped. Never waits.
  func append(_ entry: LogEntry) {
    let mustWake = state.withLock { state in
      guard state.entries.count < LogWriter.entryLimit else {
        state.dropped += 1
        return false
      }
      state.entries.append(entry)
      guard state.writerWaits || state.entries.count == LogWriter.entryLimit / 2 else {
        return false
      }
      state.writerWaits = false
      return true
    }
    if mustWake { state.signal() }
  }

  /// Writes what there is and ends the thread; waits for it at most `limit`.
  func finish(within limit: Duration) {
    state.withLock { $0.isEnding = true }
    state.signal()
    let hasEnded = state.wait(until: Instant.now() + limit) { $0.hasEnded ? () : nil } != nil
    // A thread that still waits for its reader ends with the process.
    if hasEnded { thread.withLock { $0.take() }?.join() }
  }

  private func run() {
    while let (entries, dropped) = next() {
      output.write(entries, dropped: dropped)
      _ = state.wait(until: Instant.now() + LogWriter.pause) { state in
        state.isEnding || state.entries.count >= LogWriter.entryLimit / 2 ? () : nil
      }
    }
    output.end()
    state.withLock { $0.hasEnded = true }
    state.signal()
  }

  /// Waits for entries; nil when there are none and there will be no more.
  private func next() -> (entries: [LogEntry], dropped: Int)? {
    let batch: (entries: [LogEntry], dropped: Int) =
      state.wait { state in
        if state.entries.isEmpty, !state.isEnding {
          state.writerWaits = true
          return nil
        }
        defer {
          state.entries.removeAll()
          state.dropped = 0
        }
        state.writerWaits = false
        return (state.entries, state.dropped)
      } ?? ([], 0)
    return batch.entries.isEmpty ? nil : batch
  }
}
