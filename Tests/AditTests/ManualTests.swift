import Configuration
import Foundation
import TestSupport
import Testing

@testable import AditCommands

/// Help, manual, completions and version say what the program does.
@Suite struct ManualTests {
  private static let project = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private func text(_ path: String) throws -> String {
    try String(contentsOf: Self.project.appending(path: path), encoding: .utf8)
  }

  @Test("Help fits in a terminal and ends without an empty line")
  func helpFits() {
    for verb in Verb.allCases + [nil] {
      let text = Help.text(for: verb)
      for line in text.split(separator: "\n") {
        #expect(line.count <= Help.width, "\(line)")
        #expect(line.last != " ", "\(line)")
      }
      #expect(text.hasPrefix("usage: adit "))
      #expect(text.last != "\n")
    }
  }

  @Test("The list of verbs is this, literally")
  func overview() {
    #expect(
      Help.text(for: nil) == """
        usage: adit VERB [ARGUMENT ...]

        Adit carries TCP connections between networks that cannot reach each other.

          forward  run tunnels in the foreground
          check    say what is wrong in a configuration file
          doctor   say what this machine lacks for which feature
          help     explain a verb

        adit help VERB explains one; adit --version tells the version.
        """)
  }

  @Test("Help and manual say that one end of stream does not end the other direction")
  func halfClose() throws {
    let sentence = "An end of stream from one side does not end the other"
    #expect(Help.text(for: .forward).contains(sentence))
    #expect(try text("docs/man/adit-forward.1").contains(sentence))
    #expect(try text("docs/man/adit.toml.5").contains(sentence))
  }

  @Test("Every option stands in the manual, with its default")
  func manualOptions() throws {
    let manual = try text("docs/man/adit-forward.1")
    for option in ForwardOption.all {
      let name = option.name.dropFirst()
      #expect(
        ["\n.It Fl \(name) ", "\n.It Fl \(name)\n", " Fl \(name)\n"].contains {
          manual.contains($0)
        }, "\(option.name)")
    }
    for key in TunnelConfiguration.keys.map(\.name) + ProcessConfiguration.keys.map(\.name) {
      let last = key.split(separator: ".").last ?? ""
      #expect(try text("docs/man/adit.toml.5").contains("\n.It Sy \(last) No = "), "\(key)")
    }
  }

  @Test("Defaults in the manual are those of the schema")
  func manualDefaults() throws {
    let manual = try text("docs/man/adit.toml.5")
    func check<Root>(_ key: OptionKey<Root>) {
      let last = key.name.split(separator: ".").last ?? ""
      switch key.kind {
      case .duration:
        #expect(
          manual.contains("\n.It Sy \(last) No = \\(dq\(key.defaultText)\\(dq\n"), "\(key.name)")
      case .integer:
        #expect(manual.contains("\n.It Sy \(last) No = \(key.defaultText)\n"), "\(key.name)")
      case .name, .listens, .targets, .boolean, .choice, .portRange: break
      }
    }
    TunnelConfiguration.keys.forEach { check($0) }
    ProcessConfiguration.keys.forEach { check($0) }
  }

  @Test("The example in the manual is a right file")
  func manualExample() throws {
    let manual = try text("docs/man/adit.toml.5")
    let start = try #require(manual.range(of: ".Bd -literal -offset indent\n"))
    let end = try #require(manual.range(of: "\n.Ed", range: start.upperBound..<manual.endIndex))
    let example = String(manual[start.upperBound..<end.lowerBound])
    #expect(throws: Never.self) { try ConfigurationFile.parse(example, name: "example") }
  }

  @Test(
    "The manual pages are well-formed", .enabled(if: Programs.have("mandoc")),
    arguments: ["adit.1", "adit-forward.1", "adit.toml.5"])
  func manualLint(page: String) throws {
    let path = Self.project.appending(path: "docs/man/\(page)").path
    let mandoc = try ChildProcess("mandoc", ["-T", "lint", path])
    _ = try mandoc.exitCode()
    // Whether other pages are there depends on what is installed.
    let findings = mandoc.outputText.split(separator: "\n").filter {
      !$0.contains("referenced manual not found")
    }
    #expect(findings == [])
  }

  /// With `ADIT_RECORD=1` the files are written instead.
  @Test("The shells' completions are those of the option table")
  func completions() throws {
    let folder = Self.project.appending(path: "packaging/completions")
    for (name, text) in CompletionFiles.all {
      let file = folder.appending(path: name)
      if ProcessInfo.processInfo.environment["ADIT_RECORD"] == "1" {
        try text.write(to: file, atomically: true, encoding: .utf8)
      }
      #expect(try String(contentsOf: file, encoding: .utf8) == text, "\(name)")
    }
  }

  @Test(
    "The shells read their completions",
    arguments: [("bash", "adit.bash"), ("zsh", "adit.zsh"), ("fish", "adit.fish")])
  func completionSyntax(shell: String, name: String) throws {
    guard Programs.have(shell) else { return }
    let path = Self.project.appending(path: "packaging/completions/\(name)").path
    let child = try ChildProcess(shell, ["-n", path])
    #expect(try child.exitCode() == 0)
    #expect(child.errorText == "")
  }

  @Test("bash completes verbs, options and their values")
  func bashCompletes() throws {
    let path = Self.project.appending(path: "packaging/completions/adit.bash").path
    for (words, reply) in [
      ("adit fo", "forward"), ("adit forward --thr", "--threads"),
      ("adit forward --log js", "json"), ("adit help do", "doctor"),
    ] {
      let list = words.split(separator: " ").map { "'\($0)'" }.joined(separator: " ")
      let child = try ChildProcess(
        "bash",
        [
          "-c",
          ". \(path); COMP_WORDS=(\(list)); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _adit;"
            + " echo \"${COMPREPLY[*]}\"",
        ])
      #expect(try child.exitCode() == 0)
      #expect(child.outputText == reply + "\n")
    }
  }

  @Test("The version is the one that the build packs")
  func version() throws {
    #expect(try text("VERSION") == Version.text + "\n")
  }
}
