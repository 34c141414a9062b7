/// Why a command was not carried out.
enum CommandError: Error, Hashable, Sendable {
  /// It was called in a wrong way.
  case usage(UsageError, verb: Verb?)
  /// Its configuration is wrong.
  case file(FileError)
  /// Its tunnels cannot start.
  case start(StartError)

  /// What to tell, a report an error.
  var reports: [ErrorReport] {
    switch self {
    case .usage(let error, let verb): [ErrorReport(error, verb: verb)]
    case .file(let error): error.reports
    case .start(let error): [ErrorReport(error)]
    }
  }

  /// What the shell is told.
  var exitCode: ExitCode {
    switch self {
    case .usage, .file: .wrongUsage
    case .start: .failed
    }
  }
}
