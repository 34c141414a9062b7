internal import Configuration

/// One thing that stands on the command line.
enum Argument: Hashable, Sendable {
  /// An option with its value; nil when there is none, which only some options allow.
  case option(OptionDescription, value: String?)
  /// A word that belongs to no option.
  case word(String)
}

/// Takes a command line apart, in its order: options belong to what stands before them.
///
/// `--name value`, `--name=value`, `-L value`, `-Lvalue`; everything behind `--` is a word.
struct ArgumentReader {
  private var rest: ArraySlice<String>
  private let options: [OptionDescription]
  private var onlyWords = false

  init(_ arguments: some Sequence<String>, options: [OptionDescription]) {
    rest = Array(arguments)[...]
    self.options = options
  }

  /// The next argument; nil at the end.
  mutating func next() throws(UsageError) -> Argument? {
    guard let text = rest.popFirst() else { return nil }
    if onlyWords || !text.hasPrefix("-") || text == "-" { return .word(text) }
    if text == "--" {
      onlyWords = true
      return try next()
    }
    return text.hasPrefix("--") ? try longOption(text) : try shortOption(text)
  }

  private mutating func longOption(_ text: String) throws(UsageError) -> Argument {
    let equals = text.firstIndex(of: "=")
    let name = String(text[..<(equals ?? text.endIndex)])
    let value = equals.map { String(text[text.index(after: $0)...]) }
    return try option(name, value: value)
  }

  /// `-h`, `-L value` or `-Lvalue`: nothing else has one letter, so none are bundled.
  private mutating func shortOption(_ text: String) throws(UsageError) -> Argument {
    let name = String(text.prefix(2))
    let value = text.count > 2 ? String(text.dropFirst(2)) : nil
    guard find(name) != nil else { throw unknown(text) }
    return try option(name, value: value)
  }

  private func find(_ name: String) -> OptionDescription? {
    options.first { $0.name == name || $0.short == name }
  }

  private mutating func option(
    _ name: String, value: String?
  ) throws(UsageError) -> Argument {
    guard let option = find(name) else { throw unknown(name) }
    switch option.argument {
    case .none, .negation:
      if let value { throw .valueUnwanted(option: name, value: value) }
      return .option(option, value: nil)
    case .boolean:
      if value == nil, let word = rest.first, word == "true" || word == "false" {
        return .option(option, value: rest.removeFirst())
      }
      return .option(option, value: value)
    case .required(let placeholder):
      guard let value = value ?? rest.popFirst() else {
        throw .valueMissing(option: name, placeholder: placeholder)
      }
      return .option(option, value: value)
    }
  }

  private func unknown(_ name: String) -> UsageError {
    let names = options.flatMap { [$0.name, $0.short].compactMap { $0 } }.filter { $0.count > 2 }
    return .unknownOption(name, nearest: nearest(to: name, in: names))
  }
}
