internal import Configuration

/// What can be wrong with how a command is called: what, where, and what would be right.
enum UsageError: Error, Hashable, Sendable {
  /// Nothing behind `adit`.
  case verbMissing
  /// A verb that there is not.
  case unknownVerb(String, nearest: String?)
  /// An option that there is not.
  case unknownOption(String, nearest: String?)
  /// An option without the value that it needs.
  case valueMissing(option: String, placeholder: String)
  /// A value behind an option that takes none.
  case valueUnwanted(option: String, value: String)
  /// A word too many, and what would be right instead.
  case oddWord(String, instead: String)
  /// A word that is not there.
  case wordMissing(String, example: String)
  /// Two ways of saying what to carry, of which one is enough.
  case twoWays(String, String)
  /// An option of a tunnel beside `--config`.
  case tunnelOption(String)
  /// A value that does not fit its option.
  case value(option: String, ConfigurationError)
  /// A LISTEN, TARGET or `-L` that does not read.
  case text(ConfigurationError)
  /// One place to listen at, twice.
  case duplicateListen(String)
  /// One name for several tunnels.
  case duplicateName(String)
}

extension UsageError {
  /// A word for programs.
  var code: String {
    switch self {
    case .verbMissing: "verb-missing"
    case .unknownVerb: "verb-unknown"
    case .unknownOption: "option-unknown"
    case .valueMissing: "value-missing"
    case .valueUnwanted: "value-unwanted"
    case .oddWord: "word-odd"
    case .wordMissing: "word-missing"
    case .twoWays: "usage-mixed"
    case .tunnelOption: "option-misplaced"
    case .value(_, let error), .text(let error): error.code
    case .duplicateListen: "listen-duplicate"
    case .duplicateName: "name-duplicate"
    }
  }

  /// The word of the command line that is concerned.
  var place: String? {
    switch self {
    case .verbMissing: nil
    case .unknownVerb(let word, _), .oddWord(let word, _), .wordMissing(let word, _): word
    case .unknownOption(let option, _), .valueMissing(let option, _),
      .valueUnwanted(let option, _), .value(let option, _), .tunnelOption(let option):
      option
    case .twoWays(_, let second): second
    case .text(let error): error.subject
    case .duplicateListen(let text), .duplicateName(let text): text
    }
  }

  /// What is wrong.
  var what: String {
    switch self {
    case .verbMissing: "a verb is missing"
    case .unknownVerb(let verb, _): "\"\(verb)\" is not a verb"
    case .unknownOption(let option, _): "\(option) is not an option"
    case .valueMissing(let option, _): "\(option) has no value"
    case .valueUnwanted(let option, let value): "\(option) takes no value and has \"\(value)\""
    case .oddWord(let word, _): "\"\(word)\" is one word too many"
    case .wordMissing(let word, _): "\(word) is missing"
    case .twoWays(let first, let second): "\(second) stands beside \(first)"
    case .tunnelOption(let option): "\(option) belongs to a tunnel"
    case .value(let option, let error): "\(option): \(error.what)"
    case .text(let error):
      error.subject.map { "\($0) \(error.what)" } ?? error.what
    case .duplicateListen(let listen): "\"\(listen)\" is listened at twice"
    case .duplicateName(let name): "several tunnels are called \"\(name)\""
    }
  }

  /// What would be right.
  var expected: String {
    switch self {
    case .verbMissing: "write one of \(Verb.words)"
    case .unknownVerb(_, let nearest?), .unknownOption(_, let nearest?): "did you mean \(nearest)?"
    case .unknownVerb(_, nil): "write one of \(Verb.words)"
    case .unknownOption(_, nil): "leave it out"
    case .valueMissing(let option, let placeholder): "write \(option) \(placeholder)"
    case .valueUnwanted(let option, _): "write \(option) alone"
    case .oddWord(_, let instead): instead
    case .wordMissing(_, let example): "write \(example)"
    case .twoWays: "one of the two is enough"
    case .tunnelOption: "write it in the file, in [[tunnel]]"
    case .value(_, let error), .text(let error): error.expected
    case .duplicateListen: "give each tunnel an address or port of its own"
    case .duplicateName: "write --name behind the -L that it is for"
    }
  }
}

extension UsageError: CustomStringConvertible {
  /// The whole sentence.
  var description: String { "\(what); \(expected)" }
}
