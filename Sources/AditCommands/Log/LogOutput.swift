internal import Kernel

/// Where a `LogWriter` writes. Called on the writer's thread alone.
protocol LogOutput: AnyObject, Sendable {
  /// Writes entries in order; `dropped` more came behind them and were not taken.
  func write(_ entries: [LogEntry], dropped: Int)
  /// Nothing more comes.
  func end()
}

/// Writes entries to the process's standard streams.
///
/// Guard of the `@unchecked`: only the writer's thread calls.
final class StreamOutput: LogOutput, @unchecked Sendable {
  /// How an ended flow is written.
  private let format: AccessFormat
  /// Told when lines were lost, at most once in `complaintInterval`.
  private let complain: @Sendable (LogLoss) -> Void
  private var pending: [UInt8] = []
  private var stream = StandardStream.error
  private var live: String?
  private var isLiveShown = false
  private var lost = 0
  private var lastError: Errno?
  private var lastComplaint: Instant?

  /// At most one complaint in this time.
  static let complaintInterval = Duration.seconds(10)

  init(format: AccessFormat, complain: @escaping @Sendable (LogLoss) -> Void) {
    self.format = format
    self.complain = complain
  }

  func write(_ entries: [LogEntry], dropped: Int) {
    lost += dropped
    hideLive()
    for entry in entries {
      switch entry {
      case .line(let line):
        use(.error)
        pending += line.utf8
        pending.append(0x0a)
      case .flow(let record):
        use(.output)
        format.write(record, to: &pending)
      case .live(let line): live = line
      }
    }
    showLive()
    flush()
    tellLosses(atEnd: false)
  }

  func end() {
    hideLive()
    flush()
    tellLosses(atEnd: true)
  }

  // MARK: The live line

  private func hideLive() {
    guard isLiveShown else { return }
    use(.error)
    pending += "\r\u{1b}[K".utf8
    isLiveShown = false
  }

  private func showLive() {
    guard let live else { return }
    use(.error)
    // One column stays free: a line that fills the last one wraps on some terminals.
    let width = StandardStream.error.columns ?? 80
    pending += String(live.prefix(max(0, width - 1))).utf8
    isLiveShown = true
  }

  // MARK: Bytes

  private func use(_ next: StandardStream) {
    if next != stream { flush() }
    stream = next
  }

  private func flush() {
    guard !pending.isEmpty else { return }
    do {
      try stream.write(pending)
    } catch {
      lost += pending.count { $0 == 0x0a }
      lastError = error
    }
    pending.removeAll(keepingCapacity: true)
  }

  private func tellLosses(atEnd: Bool) {
    guard lost > 0 else { return }
    let now = Instant.now()
    if !atEnd, let last = lastComplaint, last + StreamOutput.complaintInterval > now { return }
    lastComplaint = now
    complain(LogLoss(lines: lost, error: lastError))
    lost = 0
    lastError = nil
  }
}

/// Lines that could not be written.
struct LogLoss: Hashable, Sendable {
  /// How many.
  let lines: Int
  /// The kernel's reason; nil when the reader did not keep up.
  let error: Errno?
}
