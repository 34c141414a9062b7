import Testing

/// A rule that looks at one file.
struct FileRule: Sendable, CustomTestStringConvertible {
  var name: String
  var check: @Sendable (SourceFile) -> [Finding]

  var testDescription: String { name }

  static let all = [
    FileRule(name: "imports follow the picture") { ImportPicture.house.findings(in: $0) },
    FileRule(name: "lines are short", check: SizeRules.longLines),
    FileRule(name: "functions fit a screen", check: SizeRules.longFunctions),
    FileRule(name: "files hold one idea", check: SizeRules.longFiles),
    FileRule(name: "unsafe code has its doors", check: SafetyRules.unsafeCode),
    FileRule(name: "nothing is forced", check: SafetyRules.force),
    FileRule(name: "unchecked Sendable names its guard", check: SafetyRules.uncheckedSendable),
    FileRule(name: "no work is promised", check: WordRules.promisedWork),
    FileRule(name: "type names say something", check: WordRules.hollowNames),
    FileRule(name: "no path of one machine", check: WordRules.machinePaths),
    FileRule(name: "test names are sentences", check: TestRules.testNames),
    FileRule(name: "tests do not sleep", check: TestRules.sleeps),
    FileRule(name: "tests take free ports", check: TestRules.fixedPorts),
    FileRule(name: "no white space at line ends", check: TextRules.trailingSpace),
    FileRule(name: "files end with a line end", check: TextRules.lastLineEnd),
    FileRule(name: "pages have one title", check: MarkdownRules.title),
  ]
}

/// A rule that looks at the whole tree.
struct TreeRule: Sendable, CustomTestStringConvertible {
  var name: String
  var check: @Sendable (SourceTree) -> [Finding]

  var testDescription: String { name }

  static let all = [
    TreeRule(name: "no imports in a circle") { ImportPicture.house.findings(in: $0) },
    TreeRule(name: "links lead somewhere", check: MarkdownRules.deadLinks),
    TreeRule(name: "every page is reached", check: MarkdownRules.unreachablePages),
  ]
}

@Suite("The tree is tidy")
struct TidyTests {
  @Test("every file keeps the rule", arguments: FileRule.all)
  func everyFileKeepsTheRule(_ rule: FileRule) {
    for finding in SourceTree.project.files.flatMap(rule.check) {
      Issue.record("\(finding)")
    }
  }

  @Test("the tree keeps the rule", arguments: TreeRule.all)
  func theTreeKeepsTheRule(_ rule: TreeRule) {
    for finding in rule.check(.project) {
      Issue.record("\(finding)")
    }
  }

  @Test("the walk through the tree finds the manifest, this file and nothing that builds make")
  func walkFindsTheProjectOnly() {
    let paths = SourceTree.project.paths
    #expect(paths.isSuperset(of: ["Package.swift", "Tests/TidyTests/TidyTests.swift", "Sources"]))
    #expect(!paths.contains { $0.contains(".build/") || $0.hasPrefix(".git/") })
  }
}
