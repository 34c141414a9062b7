/// What `adit` can be told to do.
enum Verb: String, CaseIterable, Hashable, Sendable {
  case forward
  case check
  case doctor
  case help

  /// One line for the list of verbs.
  var summary: String {
    switch self {
    case .forward: "run tunnels in the foreground"
    case .check: "say what is wrong in a configuration file"
    case .doctor: "say what this machine lacks for which feature"
    case .help: "explain a verb"
    }
  }

  /// All verbs, for a sentence.
  static var words: String {
    allCases.map(\.rawValue).joined(separator: ", ")
  }
}
