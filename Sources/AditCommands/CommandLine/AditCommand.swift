internal import Configuration
internal import Kernel

/// The program `adit`.
public enum AditCommand {
  /// Does what the arguments say, of which the first is the program's name, and ends the process.
  public static func main(_ arguments: [String]) -> Never {
    // Without them, log lines would be written into whatever got their numbers. That they cannot be
    // filled shows again, with an error, at the first descriptor that is opened.
    try? ProcessLimits.openStandardDescriptors()
    Environment.exit(run(Array(arguments.dropFirst())).rawValue)
  }

  private static func run(_ arguments: [String]) -> ExitCode {
    do {
      return try run(try Invocation(arguments))
    } catch {
      let isJSON = arguments.prefix { $0 != "--" }.contains("--json")
      for report in error.reports { Console.complain(report, json: isJSON) }
      return error.exitCode
    }
  }

  private static func run(_ invocation: Invocation) throws(CommandError) -> ExitCode {
    switch invocation {
    case .forward(let arguments):
      let command: ForwardCommand
      do { command = try ForwardCommand(arguments) } catch { throw .file(error) }
      do { return try command.run() } catch { throw .start(error) }
    case .check(let file, let isJSON):
      let result = CheckResult(file: file)
      Console.say(isJSON ? result.json.text : result.text)
      return result.exitCode
    case .doctor(let isJSON):
      let diagnosis = Diagnosis(MachineFacts.read())
      Console.say(isJSON ? diagnosis.json.text : diagnosis.text)
      return diagnosis.exitCode
    case .help(let verb): Console.say(Help.text(for: verb))
    case .version: Console.say("adit \(Version.text)")
    }
    return .done
  }
}
