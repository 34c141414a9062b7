internal import Glibc
internal import Kernel

/// A program that a test runs: its lines are waited for, never slept for, and it does not outlive
/// the test.
///
/// One thread uses it.
public final class ChildProcess {
  /// What a child did not do in time.
  public struct Overdue: Error, CustomStringConvertible {
    /// What was waited for, and what the child had said by then.
    public let description: String
  }

  /// How long anything is waited for. Long, since machines that run tests are busy.
  public static let patience = Duration.seconds(30)

  /// The process's number.
  public let identifier: Int32
  private var output: LineBuffer
  private var errors: LineBuffer
  private var exitStatus: Int32?

  /// Starts a program with its standard input empty.
  ///
  /// `environment` is added to this process's; `inherited` descriptors become 3, 4, … in the child.
  /// With `terminal`, standard error is a terminal of 80 columns.
  public init(
    _ executable: String, _ arguments: [String], environment: [String: String] = [:],
    inherited: [Int32] = [], terminal: Bool = false
  ) throws {
    let outputPipe = try Pipe()
    let errorPipe = terminal ? try Pipe(terminalOfColumns: 80) : try Pipe()
    defer {
      outputPipe.closeWriting()
      errorPipe.closeWriting()
    }
    output = LineBuffer(outputPipe.reading)
    errors = LineBuffer(errorPipe.reading)
    // Copied above the numbers that the child's copies get, so that none overwrites another.
    let copies = inherited.map { fcntl($0, F_DUPFD_CLOEXEC, 100) }
    defer { for copy in copies { close(copy) } }
    var redirections = [(outputPipe.writing, Int32(1)), (errorPipe.writing, Int32(2))]
    for (index, copy) in copies.enumerated() { redirections.append((copy, 3 + Int32(index))) }
    identifier = try spawn(
      executable, arguments, ChildProcess.environment(adding: environment), redirections)
  }

  deinit {
    if exitStatus == nil {
      kill(identifier, SIGKILL)
      waitpid(identifier, nil, 0)
    }
  }

  private static func environment(adding own: [String: String]) -> [String] {
    let kept = [
      "PATH", "HOME", "LANG", "TMPDIR", "ASAN_OPTIONS", "TSAN_OPTIONS", "LD_LIBRARY_PATH",
    ]
    var variables = own
    for name in kept where variables[name] == nil {
      if let value = Environment.value(name) { variables[name] = value }
    }
    return variables.map { "\($0.key)=\($0.value)" }
  }

  // MARK: Use

  /// Sends a signal.
  public func send(_ signal: Int32) { kill(identifier, signal) }

  /// The next line of standard error for which `isWanted` is true.
  @discardableResult
  public func errorLine(where isWanted: (String) -> Bool) throws -> String {
    try wait(for: "a line on standard error") { errors.next(where: isWanted) }
  }

  /// The next line of standard error that contains `part`.
  @discardableResult
  public func errorLine(containing part: String) throws -> String {
    try wait(for: "“\(part)” on standard error") { errors.next { $0.contains(part) } }
  }

  /// Waits until `part` stands on standard error, in whatever line.
  public func errorPart(_ part: String) throws {
    _ = try wait(for: "“\(part)” on standard error") { errors.text.contains(part) ? () : nil }
  }

  /// The next line of standard output that contains `part`.
  @discardableResult
  public func outputLine(containing part: String) throws -> String {
    try wait(for: "“\(part)” on standard output") { output.next { $0.contains(part) } }
  }

  /// Waits for the end: the exit code, or 128 and the signal's number.
  public func exitCode(within patience: Duration = ChildProcess.patience) throws -> Int32 {
    let status = try wait(for: "the end of the process", patience) { () -> Int32? in
      var status: Int32 = 0
      guard unsafe waitpid(identifier, &status, WNOHANG) == identifier else { return nil }
      return status
    }
    exitStatus = status
    while output.read() || errors.read() {}
    let signal = status & 0x7f
    return signal == 0 ? (status >> 8) & 0xff : 128 + signal
  }

  /// Everything on standard output so far.
  public var outputText: String {
    while output.read() {}
    return output.text
  }

  /// Everything on standard error so far.
  public var errorText: String {
    while errors.read() {}
    return errors.text
  }

  /// Reads what comes until `body` finds what it looks for.
  private func wait<Result>(
    for what: String, _ patience: Duration = ChildProcess.patience, _ body: () -> Result?
  ) throws -> Result {
    let deadline = Instant.now() + patience
    while true {
      while output.read() || errors.read() {}
      if let result = body() { return result }
      guard Instant.now() < deadline else {
        throw Overdue(description: "waited for \(what); so far:\n\(errors.text)\n\(output.text)")
      }
      var entries = [output.pollEntry, errors.pollEntry]
      unsafe poll(&entries, 2, 10)
    }
  }
}
