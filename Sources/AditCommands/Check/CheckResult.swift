internal import Configuration

/// `adit check`: what a file says, or what is wrong in it.
struct CheckResult: Sendable {
  let path: String
  let outcome: Result<ConfigurationFile, FileError>

  /// Reads and checks the file.
  init(file path: String) {
    self.init(path, Result { () throws(FileError) in try ConfigurationFile.read(path) })
  }

  init(_ path: String, _ outcome: Result<ConfigurationFile, FileError>) {
    self.path = path
    self.outcome = outcome
  }

  var exitCode: ExitCode {
    switch outcome {
    case .success: .done
    case .failure: .wrongUsage
    }
  }

  /// For people: a line a problem, or one that says ok.
  var text: String {
    switch outcome {
    case .success(let file):
      let counts = CheckResult.counts(file)
      return "ok \(path): " + counts.map { "\($0.count) \($0.what)" }.joined(separator: ", ")
    case .failure(let error): return error.description
    }
  }

  /// For programs: one object.
  var json: JSONValue {
    var object: JSONObject = ["file": .string(path)]
    switch outcome {
    case .success(let file):
      object.append("ok", .boolean(true))
      for (count, what) in CheckResult.counts(file) { object.append(what, .integer(count)) }
    case .failure(let error):
      object.append("ok", .boolean(false))
      let problems = error.reports.map { report in
        var fields = report.fields
        fields.append("message", .string(report.text))
        return JSONValue.object(fields)
      }
      object.append("problems", .array(problems))
      if case .wrong(_, let problems) = error {
        object.append("omitted", .integer(problems.omitted))
      }
    }
    return .object(object)
  }

  private static func counts(_ file: ConfigurationFile) -> [(count: Int, what: String)] {
    [
      (file.tunnels.count, "tunnels"),
      (file.tunnels.reduce(0) { $0 + $1.listen.count }, "listeners"),
      (file.tunnels.reduce(0) { $0 + $1.targets.count }, "targets"),
    ]
  }
}
