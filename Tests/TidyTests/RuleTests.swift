import Testing

/// Each rule objects to the lines it should and to nothing else: one that cannot fail is noticed.
@Suite("The rules")
struct RuleTests {
  private func lines(
    _ rule: (SourceFile) -> [Finding], _ text: String, in path: String = "Sources/Relay/A.swift"
  ) -> [Int] {
    rule(SourceFile(path, text)).map(\.line)
  }

  // MARK: Sizes

  @Test("a line of 101 columns is long, unless it is a row of a table or holds an address")
  func longLinesAreFound() {
    let long = String(repeating: "é", count: 101)
    #expect(lines(SizeRules.longLines, "a\n\(long)\n") == [2])
    #expect(lines(SizeRules.longLines, long.dropLast() + "\n").isEmpty)
    #expect(lines(SizeRules.longLines, "|\(long)\n", in: "docs/a.md").isEmpty)
    #expect(lines(SizeRules.longLines, "|\(long)\n") == [1])
    let made = "<!-- bench: begin -->\n\(long)\n<!-- bench: end -->\n\(long)\n"
    #expect(lines(SizeRules.longLines, made, in: "a.md") == [4])
    #expect(lines(SizeRules.longLines, "```\n\(long)\n```\n\(long)\n", in: "a.md") == [4])
    #expect(lines(SizeRules.longLines, "// https://\(long)\n").isEmpty)
  }

  @Test("a function of 41 lines is long, in Swift and in C")
  func longFunctionsAreFound() {
    func function(_ head: String, lines: Int) -> String {
      head + " {\n" + String(repeating: "\n", count: lines - 2) + "}\n"
    }
    #expect(lines(SizeRules.longFunctions, function("func a()", lines: 40)).isEmpty)
    #expect(lines(SizeRules.longFunctions, "\n" + function("func a()", lines: 41)) == [2])
    let c = function("int a(void)", lines: 41)
    #expect(lines(SizeRules.longFunctions, c, in: "Sources/CKernel/a.c") == [1])
    #expect(lines(SizeRules.longFunctions, c, in: "docs/a.md").isEmpty)
  }

  @Test("a file of 401 lines gives a reason, one of 501 has none")
  func longFilesAreFound() {
    func file(_ lines: Int, _ head: String = "") -> String {
      head + String(repeating: "\n", count: lines)
    }
    #expect(lines(SizeRules.longFiles, file(400)).isEmpty)
    #expect(lines(SizeRules.longFiles, file(401)) == [1])
    #expect(lines(SizeRules.longFiles, file(401, "// long: ")) == [1])
    #expect(lines(SizeRules.longFiles, file(401, "// long: one table")).isEmpty)
    #expect(lines(SizeRules.longFiles, file(501, "// long: one table")) == [500])
    #expect(lines(SizeRules.longFiles, file(501), in: "docs/a.md").isEmpty)
  }

  // MARK: Safety

  @Test("`unsafe` is found outside its doors, and not in words or comments")
  func unsafeCodeIsFound() {
    let text = "let a = unsafe b\nlet unsafely = 1  // unsafe\nnonisolated(unsafe) var c\n"
    #expect(lines(SafetyRules.unsafeCode, text) == [1, 3])
    for path in [
      "Sources/Kernel/A.swift", "Sources/Reactor/A.swift", "Sources/Names/Ares+C.swift",
      "Tests/RelayTests/A.swift",
    ] {
      #expect(lines(SafetyRules.unsafeCode, text, in: path).isEmpty)
    }
  }

  @Test(
    "a forced value is found",
    arguments: ["a!", "a()!.b", "a[0]!", "try! a()", "b as! A", "var a: A!", "\"\\(a!)\"", "a?!"])
  func forcedValuesAreFound(_ text: String) {
    #expect(lines(SafetyRules.force, text) == [1])
    #expect(lines(SafetyRules.force, text, in: "Tests/A/A.swift").isEmpty)
  }

  @Test(
    "a negation, a comparison, a string and a comment force nothing",
    arguments: ["!a", "f(!a)", "a != b", "a!=b", "#if !os(Linux)", "f(\"a!\")", "a  // b!"])
  func negationsForceNothing(_ text: String) {
    #expect(lines(SafetyRules.force, text).isEmpty)
  }

  @Test("`@unchecked Sendable` needs a comment that names its guard")
  func uncheckedSendableNeedsItsGuard() {
    let bare = "/// A thing.\nfinal class A: @unchecked Sendable {}\n"
    #expect(lines(SafetyRules.uncheckedSendable, bare) == [2])
    let far = "// guard: the lock\nlet a = 1\nlet b = 1\nlet c = 1\nlet d = 1\n" + bare
    #expect(lines(SafetyRules.uncheckedSendable, far) == [7])
    let above = "/// The lock is the guard.\n///\n" + bare
    #expect(lines(SafetyRules.uncheckedSendable, above).isEmpty)
    let behind = "final class A: @unchecked Sendable {  // guard: the loop\n"
    #expect(lines(SafetyRules.uncheckedSendable, behind).isEmpty)
  }

  // MARK: Words

  @Test("promised work is found in every file")
  func promisedWorkIsFound() {
    let word = "TO" + "DO"
    #expect(lines(WordRules.promisedWork, "a\n// \(word): b\n") == [2])
    #expect(lines(WordRules.promisedWork, word, in: "Makefile") == [1])
    #expect(lines(WordRules.promisedWork, "\(word)S and MAS\(word)\n").isEmpty)
  }

  @Test("types named for nothing are found, Apple's names are not")
  func hollowNamesAreFound() {
    let text = """
      struct TunnelManager {}
      final class B {}
      enum StringUtils {}
      let managerHelper = 1
      """
    #expect(lines(WordRules.hollowNames, text) == [1, 3])
    #expect(lines(WordRules.hollowNames, text, in: "Sources/NetworkExtension/A.swift").isEmpty)
  }

  @Test("a path of one machine is found, a relative one with the same word is not")
  func machinePathsAreFound() {
    let folders = ["/wo" + "rk/a", "/ro" + "ot/a", "/fa" + "rm/a", "/opt/sw" + "ift/usr"]
    for folder in folders {
      #expect(lines(WordRules.machinePaths, "cd \(folder)", in: "docs/a.md") == [1])
      #expect(lines(WordRules.machinePaths, "cd net\(folder)", in: "docs/a.md").isEmpty)
    }
  }

  // MARK: Tests

  @Test("a test's name has three words, in whatever way it is written")
  func shortTestNamesAreFound() {
    let path = "Tests/RelayTests/A.swift"
    let short = "@Test func works() {}\n@Test(.timeLimit(.minutes(1)))\nfunc `it works`() {}\n"
    #expect(lines(TestRules.testNames, short, in: path) == [1, 3])
    let good = """
      @Test func resetIsForwarded() {}
      @Test("a b c") func a() {}
      @Test func `one two three`() {}
      """
    #expect(lines(TestRules.testNames, good, in: path).isEmpty)
    #expect(lines(TestRules.testNames, short).isEmpty)
  }

  @Test("a sleep is found in tests only")
  func sleepsAreFound() {
    let text = "try await Task.sleep(for: .seconds(1))\nusleep(1)\nasleep()\n// sleep\n"
    #expect(lines(TestRules.sleeps, text, in: "Tests/A/A.swift") == [1, 2])
    #expect(lines(TestRules.sleeps, text).isEmpty)
  }

  @Test("a fixed port is found where something is opened, not in a table")
  func fixedPortsAreFound() {
    let text = """
      try socket.bind(to: .ip(.loopback, port: 8080))
      try await forward("127.0.0.1:18_080", target)
      ("127.0.0.1:8080", .tcp(port: 8080)),
      try socket.connect(to: .ip(.loopback, port: 1))
      try socket.bind(to: .ip(.loopback, port: 0))
      """
    #expect(lines(TestRules.fixedPorts, text, in: "Tests/A/A.swift") == [1, 2])
    #expect(lines(TestRules.fixedPorts, text).isEmpty)
  }

  // MARK: Text

  @Test("white space at the end of a line is found")
  func trailingSpaceIsFound() {
    #expect(lines(TextRules.trailingSpace, "a\nb \nc\t\n\n") == [2, 3])
    #expect(lines(TextRules.trailingSpace, " a\n\n").isEmpty)
  }

  @Test("a file ends with one line end")
  func lastLineEndIsMissed() {
    #expect(lines(TextRules.lastLineEnd, "a\nb") == [2])
    #expect(lines(TextRules.lastLineEnd, "a\n\n") == [2])
    #expect(lines(TextRules.lastLineEnd, "a\n").isEmpty)
    #expect(lines(TextRules.lastLineEnd, "").isEmpty)
  }
}
