internal import Configuration

/// One option of `adit forward`, for parsing, help, manual and completions.
struct OptionDescription: Hashable, Sendable {
  /// Which part of the help it stands in.
  enum Group: String, CaseIterable, Hashable, Sendable {
    case form = "What to run"
    case tunnel = "Tunnel options"
    case process = "Process options"
    case other = "Other options"
  }

  /// What stands behind it.
  enum Argument: Hashable, Sendable {
    case none
    /// A word, behind a space or `=`.
    case required(String)
    /// `true` or `false`; without one it means true.
    case boolean
    /// Nothing: the option is `--no-…` and means false.
    case negation(of: String)
  }

  /// With its dashes: `--idle`.
  let name: String
  /// The short form, `-h`.
  var short: String?
  let argument: Argument
  let group: Group
  let documentation: String
  /// What holds when it is not given; empty when nothing does.
  var defaultText = ""
  /// The words that it takes, where they are few.
  var choices: [String] = []

  /// `--idle DURATION`, `-h, --help`.
  var synopsis: String {
    let names = short.map { "\($0), \(name)" } ?? name
    switch argument {
    case .none, .negation: return names
    case .boolean: return names + "[=true|false]"
    case .required(let placeholder): return "\(names) \(placeholder)"
    }
  }
}

extension OptionDescription {
  /// What every verb takes.
  static let common = [
    OptionDescription(
      name: "--json", argument: .none, group: .other,
      documentation: "All output as JSON, one value a line."),
    OptionDescription(
      name: "--help", short: "-h", argument: .none, group: .other, documentation: "This text."),
  ]
}

/// The options of `adit forward`: the keys of the schema with dashes, and a few of its own.
enum ForwardOption {
  static let all: [OptionDescription] = form + tunnel + process + other

  private static let form = [
    OptionDescription(
      name: "-L", argument: .required("LISTEN=TARGET"), group: .form,
      documentation: "A tunnel; may be repeated. Options before the first hold for all, those"
        + " behind one are its own."),
    OptionDescription(
      name: "--config", argument: .required("FILE"), group: .form,
      documentation: "The tunnels of a file, read again on SIGHUP."),
  ]

  private static let tunnel = TunnelConfiguration.keys.filter(\.isOption).flatMap {
    descriptions(of: $0, in: .tunnel)
  }

  /// `drain-timeout` is a key of both: one option sets both and stands once in the list.
  private static let process = ProcessConfiguration.keys.flatMap {
    descriptions(of: $0, in: .process)
  }

  private static let other =
    OptionDescription.common + [
      OptionDescription(
        name: "--version", argument: .none, group: .other, documentation: "The version.")
    ]

  private static func descriptions<Root>(
    of key: OptionKey<Root>, in group: OptionDescription.Group
  ) -> [OptionDescription] {
    if group == .tunnel, ProcessOptions.key(key.name) != nil { return [] }
    var choices: [String] = []
    if case .choice(let words) = key.kind { choices = words }
    let isBoolean = key.kind == .boolean
    let description = OptionDescription(
      name: "--" + key.optionName,
      argument: isBoolean ? .boolean : .required(key.kind.placeholder), group: group,
      documentation: key.documentation, defaultText: key.defaultText, choices: choices)
    guard let negated = key.negatedOptionName else { return [description] }
    let negation = OptionDescription(
      name: "--" + negated, argument: .negation(of: key.optionName), group: group,
      documentation: "The same as --\(key.optionName)=false.")
    return [description, negation]
  }
}
