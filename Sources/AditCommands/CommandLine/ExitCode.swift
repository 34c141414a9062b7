/// How a command ended, for the shell.
enum ExitCode: Int32, Hashable, Sendable {
  /// Done.
  case done = 0
  /// It could not be done.
  case failed = 1
  /// Wrong usage or a wrong configuration.
  case wrongUsage = 2
}
