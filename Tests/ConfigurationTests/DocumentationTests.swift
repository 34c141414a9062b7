import Foundation
import Testing

@testable import Configuration

/// What is written down about the keys, compared with the keys themselves.
@Suite struct DocumentationTests {
  private static let docs = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "docs")

  private func text(_ path: String) throws -> String {
    try String(contentsOf: DocumentationTests.docs.appending(path: path), encoding: .utf8)
  }

  /// The row of the manual for a key.
  private static func row<Root>(_ key: OptionKey<Root>) -> String {
    let takes = key.kind.placeholder.replacing("|", with: " \\| ")
    let standard = key.defaultText.isEmpty ? "" : "`\(key.defaultText)`"
    let documentation = key.documentation.replacing("|", with: "\\|")
    return "| `\(key.name)` | \(takes) | \(standard) | \(documentation) |"
  }

  @Test("The manual has the row of each key, in order")
  func manual() throws {
    let rows = try text("configuration.md").split(separator: "\n").filter { $0.hasPrefix("| `") }
    let wanted =
      TunnelConfiguration.keys.map(DocumentationTests.row)
      + ProcessConfiguration.keys.map(DocumentationTests.row)
    #expect(rows.map { String($0) } == wanted, "write \n\(wanted.joined(separator: "\n"))")
  }

  @Test("The manual names every key that is still to come", arguments: LaterKey.allCases)
  func later(_ key: LaterKey) throws {
    #expect(try text("configuration.md").contains("`\(key.rawValue)`"))
  }

  @Test("The example is right and says the default of everything that has one")
  func exampleReads() throws {
    let file = try ConfigurationFile.parse(text("examples/tunnels.toml"), name: "tunnels.toml")
    #expect(file.process == ProcessConfiguration())
    var tunnel = try #require(file.tunnels.first)
    #expect(tunnel.listen.count == 2)
    #expect(tunnel.targets.count == 4)
    tunnel.name = ""
    tunnel.listen = []
    tunnel.targets = []
    #expect(tunnel == TunnelConfiguration())
  }

  @Test("The example has each key")
  func exampleIsWhole() throws {
    let root = try parseTOML(Array(text("examples/tunnels.toml").utf8))
    guard case .table(let entries) = root.value else { return }
    var names: Set<String> = []
    for entry in entries {
      if case .array(let tunnels) = entry.node.value, let first = tunnels.first {
        collect(first, entry.key, into: &names)
      } else {
        collect(entry.node, entry.key, into: &names)
      }
    }
    for key in TunnelConfiguration.keys { #expect(names.contains("tunnel.\(key.name)")) }
    for key in ProcessConfiguration.keys { #expect(names.contains("process.\(key.name)")) }
  }

  @Test("Each LISTEN and each word that the example shows in comments reads")
  func exampleComments() throws {
    let lines = try text("examples/tunnels.toml").split(separator: "\n")
    let shown = lines.filter { $0.hasPrefix("#   \"") }.map { String($0.split(separator: "\"")[1]) }
    #expect(shown.count == 11)
    for text in shown { #expect(throws: Never.self) { try ListenSpecification(text) } }
  }

  private func collect(_ node: TOMLNode, _ path: String, into names: inout Set<String>) {
    names.insert(path)
    guard case .table(let entries) = node.value else { return }
    for entry in entries { collect(entry.node, "\(path).\(entry.key)", into: &names) }
  }
}
