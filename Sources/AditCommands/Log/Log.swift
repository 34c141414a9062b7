internal import Configuration
internal import Kernel
internal import Relay

/// What a running `adit forward` says: the access log on standard output, the rest on standard
/// error.
///
/// Any thread may use it; nothing here waits, but `finish`.
final class Log: Sendable {
  /// The least that is told.
  let level: LogLevel
  /// Lines for programs.
  let isJSON: Bool
  /// Whether a live line makes sense: a person watches standard error.
  let hasTerminal: Bool
  /// Whether ended flows are written.
  let writesFlows: Bool
  private let losses: LossLetter
  private let messages: LogWriter
  private let flows: LogWriter

  /// The most that the end of the program waits for whoever reads the logs.
  static let patience = Duration.seconds(2)

  init(_ options: LogOptions) throws(Errno) {
    level = options.level
    isJSON = options.isJSON
    hasTerminal = options.errorIsTerminal && !options.isJSON
    writesFlows = options.format != nil
    let letter = LossLetter(isJSON: options.isJSON)
    losses = letter
    let format = options.format ?? .text
    let output = StreamOutput(format: format) { loss in letter.send(loss) }
    messages = try LogWriter(name: "adit-log", output: output)
    if options.format == nil || (options.outputIsTerminal && options.errorIsTerminal) {
      // One terminal: one writer, so that the live line and the flows do not run into each other.
      flows = messages
    } else {
      let output = StreamOutput(format: format) { loss in letter.send(loss) }
      flows = try LogWriter(name: "adit-access", output: output)
    }
    letter.writer.withLock { [messages] in $0 = messages }
  }

  /// Tells something, when the level asks for it.
  func tell(_ message: LogMessage) {
    guard message.level <= level else { return }
    messages.append(.line(message.line(json: isJSON, at: WallTime.now())))
  }

  /// Writes an ended flow to the access log.
  func write(_ record: FlowRecord) {
    flows.append(.flow(record))
  }

  /// Shows the live line; nil takes it away.
  func showLive(_ line: String?) {
    messages.append(.live(line))
  }

  /// Writes all there is; not from a loop that others wait for.
  func finish() {
    if flows !== messages { flows.finish(within: Log.patience) }
    messages.finish(within: Log.patience)
    // It holds the writer that holds it.
    losses.writer.withLock { $0 = nil }
  }
}

/// How a log is written.
struct LogOptions: Hashable, Sendable {
  var level = LogLevel.info
  var isJSON = false
  /// Nil for no access log.
  var format: AccessFormat?
  var outputIsTerminal = false
  var errorIsTerminal = false

  /// What `--log`, `--log-level` and `--json` mean on these streams.
  init(_ process: ProcessConfiguration, json: Bool, outputIsTerminal: Bool, errorIsTerminal: Bool) {
    level = process.logLevel
    isJSON = json
    self.outputIsTerminal = outputIsTerminal
    self.errorIsTerminal = errorIsTerminal
    format =
      switch process.log {
      case .auto: outputIsTerminal ? nil : json ? .json : .text
      case .text: .text
      case .json: .json
      case .off: nil
      }
  }
}

/// Carries the news of lost lines to the writer of messages, which is made after it.
private final class LossLetter: Sendable {
  let writer = Lock<LogWriter?>(nil)
  private let isJSON: Bool

  init(isJSON: Bool) { self.isJSON = isJSON }

  func send(_ loss: LogLoss) {
    let why = loss.error.map { "\($0)" } ?? "their reader does not keep up"
    let message = LogMessage.warning(
      "log-lost", "\(loss.lines) lines of the log were lost: \(why)",
      ["lines": .integer(loss.lines), "error": JSONValue(loss.error?.name)])
    let line = message.line(json: isJSON, at: WallTime.now())
    writer.withLock { $0 }?.append(.line(line))
  }
}
