/// The keys of one kind of configuration, looked up by name.
public enum Options<Root: KeyedConfiguration> {
  /// All keys, in the order of the manual.
  public static var keys: [OptionKey<Root>] { Root.keys }

  /// The key of that name, as a file (`keepalive.idle`) or the command line (`keepalive-idle`)
  /// writes it; nil when there is none.
  public static func key(_ name: String) -> OptionKey<Root>? {
    Root.keys.first { $0.name == name || $0.optionName == name }
  }

  /// Sets one key from text. A list is replaced.
  public static func apply(
    key name: String, value: String, to configuration: inout Root
  ) throws(ConfigurationError) {
    guard let key = key(name) else { throw unknown(name, among: Root.keys.map(\.optionName)) }
    var changed = configuration
    key.clear(&changed)
    try key.store(&changed, value)
    configuration = changed
  }
}

/// The keys of a tunnel.
public typealias TunnelOptions = Options<TunnelConfiguration>
/// The keys of the table `[process]`.
public typealias ProcessOptions = Options<ProcessConfiguration>

/// The options of `adit forward`: those of a tunnel and those of the process.
public enum ForwardOptions {
  /// Sets one option from text in whichever configuration knows it. A name that both know
  /// (`drain-timeout`) is set in both.
  public static func apply(
    key name: String, value: String, to tunnel: inout TunnelConfiguration,
    _ process: inout ProcessConfiguration
  ) throws(ConfigurationError) {
    let isTunnelKey = TunnelOptions.key(name) != nil
    let isProcessKey = ProcessOptions.key(name) != nil
    guard isTunnelKey || isProcessKey else { throw unknown(name, among: names) }
    if isTunnelKey { try TunnelOptions.apply(key: name, value: value, to: &tunnel) }
    if isProcessKey { try ProcessOptions.apply(key: name, value: value, to: &process) }
  }

  private static var names: [String] {
    TunnelConfiguration.keys.filter(\.isOption).map(\.optionName)
      + ProcessConfiguration.keys.map(\.optionName)
  }
}

/// The error for a key that is not there: to come, or misspelt.
private func unknown(_ name: String, among names: [String]) -> ConfigurationError {
  LaterKey(name).map { .laterKey($0) } ?? .unknownKey(name, nearest: nearest(to: name, in: names))
}

extension LaterKey {
  /// The key to come that `name` is or belongs to, written as in a file or with dashes.
  init?(_ name: String) {
    let dashed = String(name.map { $0 == "." ? "-" : $0 })
    let found = LaterKey.allCases.first { key in
      let own = String(key.rawValue.map { $0 == "." ? "-" : $0 })
      return dashed == own || dashed.hasPrefix(own + "-")
    }
    guard let found else { return nil }
    self = found
  }
}
