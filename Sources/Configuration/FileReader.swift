/// Turns a document into values and collects everything that is wrong with it.
struct FileReader {
  let name: String
  private var problems: [ConfigurationProblem] = []
  private var omitted = 0
  private var duplicates = DuplicateFinder()

  init(name: String) {
    self.name = name
  }

  /// The problems found so far, in the order of the source; nil when there are none.
  var collected: ConfigurationProblems? {
    if problems.isEmpty { return nil }
    let ordered = problems.sorted { ($0.line, $0.column) < ($1.line, $1.column) }
    return ConfigurationProblems(problems: ordered, omitted: omitted)
  }

  mutating func file(_ root: TOMLNode) -> ConfigurationFile {
    var file = ConfigurationFile()
    guard case .table(let entries) = root.value else { return file }
    for entry in entries {
      switch entry.key {
      case "process": readProcess(entry, into: &file.process)
      case "tunnel": file.tunnels = tunnels(entry)
      case _:
        add(at: entry.place, key: nil) {
          .unknownKey(entry.key, nearest: nearest(to: entry.key, in: ["tunnel", "process"]))
        }
      }
    }
    if !entries.contains(where: { $0.key == "tunnel" }) {
      addMissingTunnel(at: TOMLPlace(line: 1, column: 1))
    }
    return file
  }

  /// Notes that there is no tunnel.
  private mutating func addMissingTunnel(at place: TOMLPlace) {
    let fault = DocumentFault.missing(
      key: "tunnel", example: "[[tunnel]] with name, listen and target")
    add(at: place, key: nil) { .document(fault) }
  }

  /// Notes a problem; the error is not made when nobody would read it.
  mutating func add(at place: TOMLPlace, key: String?, _ error: () -> ConfigurationError) {
    guard problems.count < ConfigurationProblems.limit else {
      omitted += 1
      return
    }
    problems.append(
      ConfigurationProblem(
        file: name, line: place.line, column: place.column, key: key, error: error()))
  }
}

extension FileReader {
  private mutating func readProcess(_ entry: TOMLEntry, into process: inout ProcessConfiguration) {
    guard case .table(let entries) = entry.node.value else {
      let fault = DocumentFault.type(found: entry.node.value.noun, expected: "[process]")
      return add(at: entry.node.place, key: "process") { .document(fault) }
    }
    read(entries, of: "process", into: &process)
  }

  private mutating func tunnels(_ entry: TOMLEntry) -> [TunnelConfiguration] {
    guard case .array(let nodes) = entry.node.value else {
      let found = entry.node.value.noun
      add(at: entry.place, key: "tunnel") {
        .document(.type(found: found, expected: "[[tunnel]], with two brackets on each side"))
      }
      return []
    }
    if nodes.isEmpty { addMissingTunnel(at: entry.place) }
    if nodes.count > ConfigurationFile.tunnelLimit {
      let place = nodes[ConfigurationFile.tunnelLimit].place
      add(at: place, key: "tunnel") { .document(.manyTunnels(nodes.count)) }
    }
    return nodes.prefix(ConfigurationFile.tunnelLimit).compactMap { tunnel($0) }
  }

  private mutating func tunnel(_ node: TOMLNode) -> TunnelConfiguration? {
    guard case .table(let entries) = node.value else {
      let fault = DocumentFault.type(found: node.value.noun, expected: "a table")
      add(at: node.place, key: "tunnel") { .document(fault) }
      return nil
    }
    var tunnel = TunnelConfiguration()
    read(entries, of: "tunnel", into: &tunnel)
    checkTransport(entries, of: tunnel)
    for (key, example) in FileReader.required where !entries.contains(where: { $0.key == key }) {
      add(at: node.place, key: "tunnel.\(key)") {
        .document(.missing(key: key, example: example))
      }
    }
    for (place, key, fault) in duplicates.check(entries, of: tunnel, at: node.place) {
      add(at: place, key: key) { .document(fault) }
    }
    return tunnel
  }

  /// What a tunnel cannot be without.
  private static let required = [
    ("name", "name = \"web\""),
    ("listen", "listen = [\"8080\"]"),
    ("target", "target = [\"web.example:80\"]"),
  ]
}
