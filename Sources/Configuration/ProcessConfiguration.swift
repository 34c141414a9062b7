/// What holds for the whole program: its threads, its log, its memory.
public struct ProcessConfiguration: Hashable, Sendable {
  /// Threads that carry traffic; 0 for one a core.
  public var threads = 0
  /// How the access log is written.
  public var log = LogFormat.auto
  /// The least that is told on standard error.
  public var logLevel = LogLevel.info
  /// For the flows that are left when the program is told to end; then they are reset.
  public var drainTimeout = Duration.seconds(30)
  /// Buffers that may be lent at one time to flows with bytes under way.
  public var buffers = 4096
  /// Pipes that may be lent at one time to flows with bytes under way.
  public var pipes = 1024

  /// Makes the default.
  public init() {}
}

/// How the access log is written.
public enum LogFormat: String, CaseIterable, Hashable, Sendable {
  /// As text, and not at all on a terminal.
  case auto
  /// A line for people.
  case text
  /// A JSON value a line.
  case json
  /// Not at all.
  case off
}

/// How much is told on standard error.
public enum LogLevel: String, CaseIterable, Hashable, Sendable, Comparable {
  /// What failed.
  case error
  /// And what is odd.
  case warning
  /// And what an operator wants to know.
  case info
  /// And each step of each flow.
  case debug

  /// Orders by how much is told.
  public static func < (left: LogLevel, right: LogLevel) -> Bool {
    left.rank < right.rank
  }

  private var rank: Int {
    switch self {
    case .error: 0
    case .warning: 1
    case .info: 2
    case .debug: 3
    }
  }
}
