internal import Configuration
internal import Kernel

/// Every error of this module, for people and for programs: the one place where they are mapped.
struct ErrorReport: Hashable, Sendable {
  /// A word for programs that does not change between versions.
  let code: String
  /// The line for people.
  let text: String
  /// Where: a word of the command line, an address, a key.
  var place: String?
  /// A place in a file.
  var file: String?
  var line: Int?
  var column: Int?
  /// What would be right.
  var expected: String?

  init(_ error: UsageError, verb: Verb?) {
    code = error.code
    text = "adit\(verb.map { " \($0.rawValue)" } ?? ""): \(error)"
    place = error.place
    expected = error.expected
  }

  init(_ problem: ConfigurationProblem) {
    let report = problem.report
    code = report.code
    text = problem.description
    place = report.key
    file = report.file
    line = report.line
    column = report.column
    expected = report.expected
  }

  init(_ error: FileError) {
    code = error.code
    text = error.description
    place = error.path
    file = error.path
  }

  init(_ error: StartError) {
    code = error.code
    text = error.description
    place = error.place
  }

  /// What programs get.
  var fields: JSONObject {
    var object: JSONObject = ["code": .string(code), "where": JSONValue(place)]
    if let file { object.append("file", .string(file)) }
    if let line { object.append("line", .integer(line)) }
    if let column { object.append("column", .integer(column)) }
    object.append("expected", JSONValue(expected))
    return object
  }

  /// The report as a message of the log.
  var message: LogMessage {
    LogMessage(level: .error, event: "error", text: text, fields: fields, isBare: file != nil)
  }
}

/// A configuration file that is not as it should be.
enum FileError: Error, Hashable, Sendable {
  /// It cannot be read.
  case unreadable(path: String, Errno)
  /// It says something wrong.
  case wrong(path: String, ConfigurationProblems)

  var path: String {
    switch self {
    case .unreadable(let path, _), .wrong(let path, _): path
    }
  }

  var code: String {
    switch self {
    case .unreadable: "file-unreadable"
    case .wrong: "file-wrong"
    }
  }

  /// A report a problem.
  var reports: [ErrorReport] {
    switch self {
    case .unreadable: [ErrorReport(self)]
    case .wrong(_, let problems): problems.problems.map { ErrorReport($0) }
    }
  }
}

extension FileError: CustomStringConvertible {
  var description: String {
    switch self {
    case .unreadable(let path, let error): "\(path): cannot be read: \(error)"
    case .wrong(_, let problems): problems.description
    }
  }
}

extension ConfigurationFile {
  /// Reads and checks the file at `path`.
  static func read(_ path: String) throws(FileError) -> ConfigurationFile {
    let bytes: [UInt8]
    do {
      bytes = try WholeFile.read(path, limit: byteLimit)
    } catch {
      throw .unreadable(path: path, error)
    }
    do {
      return try parse(bytes, name: path)
    } catch {
      throw .wrong(path: path, error)
    }
  }
}
