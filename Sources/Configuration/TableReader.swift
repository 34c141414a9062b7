extension FileReader {
  /// Reads a table into the configuration whose keys it has; `section` is what problems call it.
  mutating func read<Root: KeyedConfiguration>(
    _ entries: [TOMLEntry], of section: String, in group: String = "", into root: inout Root
  ) {
    for entry in entries {
      let path = group + entry.key
      let isGroup = Root.keys.contains { $0.name.hasPrefix(path + ".") }
      if Root.self == TunnelConfiguration.self, let later = LaterKey(rawValue: path) {
        add(at: entry.place, key: section) { .laterKey(later) }
      } else if isGroup, case .table(let inner) = entry.node.value {
        read(inner, of: section, in: path + ".", into: &root)
      } else if let key = Root.keys.first(where: { $0.name == path }) {
        read(entry.node, of: key, in: "\(section).\(path)", into: &root)
      } else if isGroup {
        let expected = "the table [\(section).\(path)]"
        let fault = DocumentFault.type(found: entry.node.value.noun, expected: expected)
        add(at: entry.node.place, key: "\(section).\(path)") { .document(fault) }
      } else {
        add(at: entry.place, key: section) {
          .unknownKey(path, nearest: nearest(to: path, in: Root.keys.map(\.name)))
        }
      }
    }
  }

  private mutating func read<Root>(
    _ node: TOMLNode, of key: OptionKey<Root>, in path: String, into root: inout Root
  ) {
    if key.kind.isList, case .array(let nodes) = node.value {
      readList(nodes, at: node.place, of: key, in: path, into: &root)
    } else if let text = key.kind.text(node.value) {
      store(text, at: node.place, of: key, in: path, into: &root)
    } else {
      let fault = DocumentFault.type(found: node.value.noun, expected: key.kind.example)
      add(at: node.place, key: path) { .document(fault) }
    }
  }

  private mutating func readList<Root>(
    _ nodes: [TOMLNode], at place: TOMLPlace, of key: OptionKey<Root>, in path: String,
    into root: inout Root
  ) {
    if nodes.isEmpty {
      add(at: place, key: path) { .document(.emptyList(example: key.kind.example)) }
    }
    for node in nodes.prefix(ConfigurationFile.listLimit) {
      if let text = key.kind.text(node.value) {
        store(text, at: node.place, of: key, in: path, into: &root)
      } else {
        let fault = DocumentFault.type(found: node.value.noun, expected: "strings in the list")
        add(at: node.place, key: path) { .document(fault) }
      }
    }
    let count = max(nodes.count, key.texts(root).count)
    if count > ConfigurationFile.listLimit {
      add(at: place, key: path) { .document(.manyValues(count)) }
    }
  }

  private mutating func store<Root>(
    _ text: String, at place: TOMLPlace, of key: OptionKey<Root>, in path: String,
    into root: inout Root
  ) {
    do {
      try key.store(&root, text)
    } catch {
      add(at: place, key: path) { error }
    }
  }
}

extension KeyKind {
  /// The text of a value of the right type; nil for every other.
  fileprivate func text(_ value: TOMLValue) -> String? {
    switch (self, value) {
    case (.name, .string(let text)), (.listens, .string(let text)), (.targets, .string(let text)),
      (.duration, .string(let text)), (.choice, .string(let text)),
      (.portRange, .string(let text)):
      text
    case (.integer, .integer(let number)): "\(number)"
    case (.boolean, .boolean(let value)): "\(value)"
    case (_, _): nil
    }
  }

  /// What to write, in a sentence.
  fileprivate var example: String {
    switch self {
    case .name: "a name in quotes, as in \"web\""
    case .listens: "a list of strings, as in [\"8080\"]"
    case .targets: "a list of strings, as in [\"web.example:80\"]"
    case .duration: "a duration in quotes, as in \"5m\""
    case .integer: "a whole number without quotes, as in 100"
    case .portRange: "two ports in quotes, as in \"50000-50100\""
    case .boolean: "true or false without quotes"
    case .choice(let words): "one of the words in quotes: \(alternatives(words))"
    }
  }
}
