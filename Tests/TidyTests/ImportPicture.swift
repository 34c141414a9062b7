/// Who may import whom. A target may import what stands in its row and what those rows allow.
///
/// This table is the picture of the house; it is changed together with a page in `docs/decisions`.
struct ImportPicture: Sendable {
  /// What each target may import of this project.
  var rows: [String: Set<String>]
  /// What each target may import of the toolchain besides Swift itself.
  var toolchain: [String: Set<String>]

  static let house = ImportPicture(
    rows: [
      // C: wrappers for system calls, and Debian's libraries.
      "CKernel": [], "COpenSSL": [], "CAres": [], "CMnl": [], "CSQLite": [], "CMicrohttpd": [],
      "CCurl": [], "CTOML": [], "CIPsecMB": [],
      // The ground.
      "Kernel": ["CKernel"],
      "Reactor": ["Kernel"],
      "Names": ["Reactor", "CAres"],
      "TLS": ["Kernel", "COpenSSL"],
      // The socket library and its faces.
      "Sockets": ["Reactor", "Names", "TLS"],
      "Security": ["TLS"],
      "CocoaAsyncSocket": ["Sockets", "Security"],
      "SocketStreams": ["Sockets", "Security"],
      "CFNetwork": ["SocketStreams", "Sockets", "Security"],
      // Tunnels.
      "FTP": [],
      "Relay": ["Reactor", "Names", "TLS", "FTP"],
      "WireGuard": ["COpenSSL", "CIPsecMB"],
      "PacketTunnel": ["Reactor", "CMnl"],
      // The system that owns them.
      "TunnelControl": [],
      // Kernel: addresses are parsed in one place (docs/decisions/0003).
      "Configuration": ["TunnelControl", "CTOML", "COpenSSL", "Kernel"],
      "ControlClient": ["TunnelControl", "Kernel", "CCurl"],
      "NetworkExtension": ["ControlClient", "Security"],
      "TunnelService": [
        "TunnelControl", "Configuration", "PacketTunnel", "CSQLite", "CMicrohttpd",
      ],
      "WebConsole": ["TunnelService"],
      "PortTunnelProvider": ["NetworkExtension", "Configuration", "Relay"],
      "WireGuardProvider": ["NetworkExtension", "Configuration", "WireGuard", "PacketTunnel"],
      // What people type.
      "AditCommands": ["ControlClient", "Configuration", "Relay", "WireGuard", "PacketTunnel"],
      "adit": ["AditCommands"],
      "aditd": ["TunnelService", "WebConsole"],
    ],
    toolchain: [
      "Kernel": ["Glibc", "Synchronization"],
      "Reactor": ["Glibc", "Synchronization"],
      // Atomics: budgets that all loops draw on, numbers that only grow.
      "Sockets": ["Synchronization"],
      "Relay": ["Synchronization"],
      // Apple's interfaces are written in Foundation's and Dispatch's types.
      "Security": ["Foundation", "Dispatch"],
      "CocoaAsyncSocket": ["Foundation", "Dispatch"],
      // A run loop's sources, which Foundation does not show.
      "SocketStreams": ["Foundation", "Dispatch", "CoreFoundation"],
      "CFNetwork": ["Foundation", "Dispatch"],
      "NetworkExtension": ["Foundation", "Dispatch"],
      "TunnelControl": ["FoundationEssentials"],
      "Configuration": ["FoundationEssentials"],
      "ControlClient": ["FoundationEssentials"],
      "TunnelService": ["FoundationEssentials"],
      "WebConsole": ["FoundationEssentials"],
      "PortTunnelProvider": ["FoundationEssentials"],
      "WireGuardProvider": ["FoundationEssentials"],
      "AditCommands": ["FoundationEssentials"],
    ])

  /// The doors to one C library each may use what C needs.
  static let doorModules: Set<String> = ["Glibc", "Synchronization"]

  /// What a target may import of this project: its row and what those rows allow.
  func allowed(for target: String) -> Set<String> {
    var reached: Set<String> = []
    var open = Array(rows[target] ?? [])
    while let next = open.popLast() {
      if reached.insert(next).inserted { open += rows[next] ?? [] }
    }
    return reached
  }

  /// Objects to the imports of one file that its target's row does not allow.
  func findings(in file: SourceFile) -> [Finding] {
    guard file.isSwift, let target = file.target else { return [] }
    guard rows[target] != nil else {
      return [file.finding(1, "target \(target) has no row in Tests/TidyTests/ImportPicture.swift")]
    }
    var allowed = allowed(for: target).union(toolchain[target] ?? [])
    if file.path.hasSuffix("+C.swift") { allowed.formUnion(ImportPicture.doorModules) }
    let rightful = allowed.sorted().joined(separator: ", ")
    return file.imports.filter { !allowed.contains($0.module) }.map { line, module in
      file.finding(line, "\(target) may not import \(module); it may import: \(rightful)")
    }
  }

  /// Objects to targets that import each other in a circle, in the table or in the files.
  func findings(in tree: SourceTree) -> [Finding] {
    var graph = rows
    for file in tree.files {
      guard let target = file.target else { continue }
      graph[target, default: []].formUnion(file.imports.map(\.module))
    }
    guard let circle = ImportPicture.circle(in: graph) else { return [] }
    let way = circle.joined(separator: " -> ")
    return [Finding(path: "Sources", line: 1, advice: "imports run in a circle: \(way)")]
  }

  /// The first circle of a graph, begun and ended by the same name; nil when there is none.
  static func circle(in graph: [String: Set<String>]) -> [String]? {
    var finished: Set<String> = []
    var way: [String] = []
    func visit(_ name: String) -> [String]? {
      if let start = way.firstIndex(of: name) { return way[start...] + [name] }
      guard !finished.contains(name) else { return nil }
      way.append(name)
      for next in (graph[name] ?? []).sorted() {
        if let circle = visit(next) { return circle }
      }
      way.removeLast()
      finished.insert(name)
      return nil
    }
    for name in graph.keys.sorted() {
      if let circle = visit(name) { return circle }
    }
    return nil
  }
}

extension SourceFile {
  /// The modules that the file imports, with their lines.
  var imports: [(line: Int, module: String)] {
    guard isSwift else { return [] }
    return view.codeLines.enumerated().compactMap { index, line in
      SourceFile.importedModule(line).map { (index + 1, $0) }
    }
  }

  private static let beforeImport: Set<Substring> = [
    "public", "package", "internal", "fileprivate", "private",
  ]
  private static let kinds: Set<Substring> = [
    "struct", "class", "enum", "protocol", "typealias", "func", "var", "let", "actor",
  ]

  private static func importedModule(_ line: String) -> String? {
    var words = line.split(separator: " ")[...]
    while let word = words.first, word.hasPrefix("@") || beforeImport.contains(word) {
      words = words.dropFirst()
    }
    guard words.popFirst() == "import" else { return nil }
    if let kind = words.first, kinds.contains(kind) { words = words.dropFirst() }
    return words.first?.split(separator: ".").first.map { String($0) }
  }
}
