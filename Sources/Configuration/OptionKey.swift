/// What a key takes.
public enum KeyKind: Hashable, Sendable {
  /// A tunnel's name.
  case name
  /// One or several LISTEN.
  case listens
  /// One or several TARGET.
  case targets
  /// A duration from the one to the other, perhaps in whole seconds.
  case duration(least: Duration, most: Duration, wholeSeconds: Bool)
  /// A whole number from the one to the other.
  case integer(least: Int, most: Int)
  /// Two ports with a dash between, the first not below `least`, or `any`.
  case portRange(least: UInt16)
  /// True or false.
  case boolean
  /// One of these words.
  case choice([String])

  /// What stands for the value in a line of help: `DURATION`, `NUMBER`, `text|json|off`.
  public var placeholder: String {
    switch self {
    case .name: "NAME"
    case .listens: "LISTEN"
    case .targets: "TARGET"
    case .duration: "DURATION"
    case .integer: "NUMBER"
    case .portRange: "FIRST-LAST|any"
    case .boolean: "true|false"
    case .choice(let words): words.joined(separator: "|")
    }
  }

  /// True when the key takes several values.
  public var isList: Bool { self == .listens || self == .targets }
}

/// One key of the schema: the file, the command line, the help text and the manual all read it.
public struct OptionKey<Root: KeyedConfiguration>: Sendable {
  typealias Store = @Sendable (inout Root, String) throws(ConfigurationError) -> Void

  /// The key as files write it, with its table: `half-closed-idle`, `keepalive.idle`.
  public let name: String
  /// What it takes.
  public let kind: KeyKind
  /// One sentence.
  public let documentation: String
  /// The values in a configuration, as text that `apply` reads.
  public let texts: @Sendable (Root) -> [String]

  /// Sets the value, or adds one to a list.
  let store: Store
  /// Empties a list.
  let clear: @Sendable (inout Root) -> Void

  /// The key as the command line writes it behind two dashes: `half-closed-idle`,
  /// `keepalive-idle`.
  public var optionName: String { String(name.map { $0 == "." ? "-" : $0 }) }

  /// What the command line writes for `false`: `no-half-close`; nil when there is no such word.
  public var negatedOptionName: String? {
    kind == .boolean && !name.hasPrefix("no-") ? "no-" + optionName : nil
  }

  /// False for what the command line takes by position: LISTEN and TARGET.
  public var isOption: Bool { !kind.isList }

  /// The value that holds when nothing is said; empty when there is none.
  public var defaultText: String { texts(Root.defaults).joined(separator: ", ") }
}

/// A value whose parts have keys.
public protocol KeyedConfiguration: Hashable, Sendable {
  /// The value that holds when nothing is said.
  static var defaults: Self { get }
  /// All keys, in the order of the manual.
  static var keys: [OptionKey<Self>] { get }
}

/// A key of a tunnel.
public typealias TunnelKey = OptionKey<TunnelConfiguration>
/// A key of the table `[process]`.
public typealias ProcessKey = OptionKey<ProcessConfiguration>
