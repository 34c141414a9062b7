/// One thing that is wrong in a file, and where.
public struct ConfigurationProblem: Hashable, Sendable {
  /// The file's name, as it was given.
  public let file: String
  /// The line, counted from 1.
  public let line: Int
  /// The character in the line, counted from 1.
  public let column: Int
  /// The key concerned, with its tables: `tunnel.limits.flows`; nil for the file as a whole.
  public let key: String?
  /// What is wrong and what would be right.
  public let error: ConfigurationError

  /// The problem as plain values.
  public var report: ProblemReport {
    ProblemReport(
      code: error.code, file: file, line: line, column: column, key: key, what: error.what,
      expected: error.expected)
  }
}

extension ConfigurationProblem: CustomStringConvertible {
  /// One line: `tunnels.toml:12:8: tunnel.idle: "5 minutes" is not a duration; write a number …`.
  public var description: String {
    let place = "\(file):\(line):\(column): "
    return place + (key.map { "\($0): " } ?? "") + error.message
  }
}

/// Everything that is wrong in a file, in the order of the source; never empty.
public struct ConfigurationProblems: Error, Hashable, Sendable, CustomStringConvertible {
  /// The most problems that are told of one file.
  public static let limit = 1000

  /// The problems.
  public let problems: [ConfigurationProblem]
  /// Further problems that were found and not told.
  public let omitted: Int

  /// A line a problem.
  public var description: String {
    var lines = problems.map(\.description)
    if omitted > 0 { lines.append("and \(omitted) more") }
    return lines.joined(separator: "\n")
  }
}

/// A problem for programs: `--json` prints it.
public struct ProblemReport: Encodable, Hashable, Sendable {
  /// A short word that does not change between versions.
  public let code: String
  /// The file, where there is one.
  public let file: String?
  /// The line in it, counted from 1.
  public let line: Int?
  /// The character in the line or in the text, counted from 1.
  public let column: Int?
  /// The key or the word of the command line that is concerned.
  public let key: String?
  /// What is wrong.
  public let what: String
  /// What would be right.
  public let expected: String
}

extension ConfigurationError {
  /// The error as plain values, for an error that is in no file.
  public var report: ProblemReport {
    let column: Int? =
      switch self {
      case .text(_, let place): place.column
      case .value, .unknownKey, .laterKey, .document, .transport: nil
      }
    return ProblemReport(
      code: code, file: nil, line: nil, column: column, key: subject, what: what,
      expected: expected)
  }
}
