internal import Configuration

/// What was asked for, read whole before anything is done.
enum Invocation: Hashable, Sendable {
  case forward(ForwardArguments)
  case check(file: String, isJSON: Bool)
  case doctor(isJSON: Bool)
  case help(Verb?)
  case version

  /// Reads what stands behind the program's name.
  init(_ arguments: [String]) throws(CommandError) {
    guard let first = arguments.first else { throw .usage(.verbMissing, verb: nil) }
    let rest = Array(arguments.dropFirst())
    switch first {
    case "--help", "-h": self = .help(nil)
    case "--version": self = .version
    case _ where first.hasPrefix("-"):
      let near = nearest(to: first, in: ["--help", "--version"])
      throw .usage(.unknownOption(first, nearest: near), verb: nil)
    case _:
      let verb: Verb
      do { verb = try Verb(named: first) } catch { throw .usage(error, verb: nil) }
      do { self = try Invocation(verb, rest) } catch { throw .usage(error, verb: verb) }
    }
  }

  private init(_ verb: Verb, _ rest: [String]) throws(UsageError) {
    let options = rest.prefix { $0 != "--" }
    if options.contains("--help") || options.contains("-h") {
      self = .help(verb)
      return
    }
    switch verb {
    case .forward:
      self = options.contains("--version") ? .version : .forward(try ForwardParser.parse(rest))
    case .check:
      let (words, isJSON) = try Invocation.words(rest, ["FILE"])
      guard let file = words.first else {
        throw .wordMissing("FILE", example: "its name, as in \"adit check tunnels.toml\"")
      }
      self = .check(file: file, isJSON: isJSON)
    case .doctor: self = .doctor(isJSON: try Invocation.words(rest, []).isJSON)
    case .help:
      let words = try Invocation.words(rest, ["VERB"]).words
      var verb: Verb?
      if let word = words.first { verb = try Verb(named: word) }
      self = .help(verb)
    }
  }

  /// The words of a command that knows only the options that all know; at most one for each of
  /// `names`.
  private static func words(
    _ arguments: [String], _ names: [String]
  ) throws(UsageError) -> (words: [String], isJSON: Bool) {
    var reader = ArgumentReader(arguments, options: OptionDescription.common)
    var words: [String] = []
    var isJSON = false
    while let argument = try reader.next() {
      switch argument {
      case .option(let option, _): if option.name == "--json" { isJSON = true }
      case .word(let word):
        if words.count == names.count {
          let instead = names.isEmpty ? "no word is taken" : "one \(names.joined()) is taken"
          throw .oddWord(word, instead: instead)
        }
        words.append(word)
      }
    }
    return (words, isJSON)
  }
}

extension Verb {
  /// The verb of that name.
  init(named name: String) throws(UsageError) {
    guard let verb = Verb(rawValue: name) else {
      let near = nearest(to: name, in: Verb.allCases.map(\.rawValue))
      throw .unknownVerb(name, nearest: near)
    }
    self = verb
  }
}
