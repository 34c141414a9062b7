extension TunnelConfiguration {
  /// The `[[tunnel]]` that reads back as this value, with what differs from the default.
  public var toml: String { tomlTable(self, header: "[[tunnel]]", section: "tunnel") }
}

extension ProcessConfiguration {
  /// The `[process]` that reads back as this value, with what differs from the default; empty when
  /// nothing does.
  public var toml: String {
    self == .defaults ? "" : tomlTable(self, header: "[process]", section: "process")
  }
}

extension ConfigurationFile {
  /// The file that reads back as this value.
  public var toml: String {
    let parts = [process.toml] + tunnels.map(\.toml)
    return parts.filter { !$0.isEmpty }.joined(separator: "\n")
  }
}

private func tomlTable<Root: KeyedConfiguration>(
  _ root: Root, header: String, section: String
) -> String {
  let changed = Root.keys.filter { $0.texts(root) != $0.texts(Root.defaults) }
  var text = header + "\n"
  for key in changed where key.group == nil {
    text += "\(key.name) = \(key.tomlValue(of: root))\n"
  }
  var group: String?
  for key in changed {
    guard let own = key.group else { continue }
    if own != group { text += "[\(section).\(own)]\n" }
    group = own
    text += "\(key.name.dropFirst(own.count + 1)) = \(key.tomlValue(of: root))\n"
  }
  return text
}

extension OptionKey {
  /// The table inside the section: `keepalive` of `keepalive.idle`; nil for the section itself.
  public var group: String? {
    name.firstIndex(of: ".").map { String(name[..<$0]) }
  }

  /// The value as TOML writes it.
  func tomlValue(of root: Root) -> String {
    let texts = texts(root)
    switch kind {
    case .listens, .targets:
      return "[" + texts.map { "\"\(escaped($0))\"" }.joined(separator: ", ") + "]"
    case .portRange, .name, .duration, .choice: return "\"\(escaped(texts.joined()))\""
    case .integer, .boolean: return texts.joined()
    }
  }
}
