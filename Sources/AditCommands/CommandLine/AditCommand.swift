internal import Configuration
internal import Kernel

/// The program `adit`.
public enum AditCommand {
  /// Does what the arguments say, of which the first is the program's name, and ends the process.
  public static func main(_ arguments: [String]) -> Never {
    Environment.exit(run(Array(arguments.dropFirst())).rawValue)
  }

  private static func run(_ arguments: [String]) -> ExitCode {
    let isJSON = arguments.contains("--json")
    do {
      return try run(try Invocation(arguments))
    } catch {
      for report in error.reports { Console.complain(report, json: isJSON) }
      return error.exitCode
    }
  }

  private static func run(_ invocation: Invocation) throws(CommandError) -> ExitCode {
    switch invocation {
    case .help(let verb): Console.say(Help.text(for: verb))
    case .version: Console.say("adit \(Version.text)")
    case .forward(let arguments):
      let command: ForwardCommand
      do { command = try ForwardCommand(arguments) } catch { throw .file(error) }
      do { return try command.run() } catch { throw .start(error) }
    }
    return .done
  }
}

/// Why a command was not carried out.
enum CommandError: Error, Hashable, Sendable {
  case usage(UsageError, verb: Verb?)
  case file(FileError)
  case start(StartError)

  var reports: [ErrorReport] {
    switch self {
    case .usage(let error, let verb): [ErrorReport(error, verb: verb)]
    case .file(let error): error.reports
    case .start(let error): [ErrorReport(error)]
    }
  }

  var exitCode: ExitCode {
    switch self {
    case .usage, .file: .wrongUsage
    case .start: .failed
    }
  }
}

/// What was asked for, read whole before anything is done.
enum Invocation: Hashable, Sendable {
  case forward(ForwardArguments)
  case help(Verb?)
  case version

  init(_ arguments: [String]) throws(CommandError) {
    guard let first = arguments.first else { throw .usage(.verbMissing, verb: nil) }
    let rest = Array(arguments.dropFirst())
    switch first {
    case "--help", "-h": self = .help(nil)
    case "--version": self = .version
    case _ where first.hasPrefix("-"):
      let names = ["--help", "--version"]
      throw .usage(.unknownOption(first, nearest: nearestName(to: first, in: names)), verb: nil)
    case _:
      guard let verb = Verb(rawValue: first) else {
        let nearest = nearestName(to: first, in: Verb.allCases.map(\.rawValue))
        throw .usage(.unknownVerb(first, nearest: nearest), verb: nil)
      }
      do {
        self = try Invocation(verb, rest)
      } catch {
        throw .usage(error, verb: verb)
      }
    }
  }

  private init(_ verb: Verb, _ rest: [String]) throws(UsageError) {
    let options = rest.prefix { $0 != "--" }
    if options.contains(where: { $0 == "--help" || $0 == "-h" }) {
      self = .help(verb)
      return
    }
    switch verb {
    case .forward:
      self = options.contains("--version") ? .version : .forward(try ForwardParser.parse(rest))
    case .check, .doctor, .help: self = .help(nil)
    }
  }
}
