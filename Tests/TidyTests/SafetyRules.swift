/// What the compiler lets pass and this house does not.
enum SafetyRules {
  static func unsafeCode(_ file: SourceFile) -> [Finding] {
    let isDoor =
      file.isTest || file.path.hasSuffix("+C.swift")
      || ["Kernel", "Reactor"].contains(file.target ?? "")
    guard file.isSwift, !isDoor else { return [] }
    return file.findings { line in
      line.hasWord("unsafe")
        ? "`unsafe` belongs in Kernel, Reactor or a file named …+C.swift" : nil
    }
  }

  /// Force unwraps, forced tries and casts, and implicitly unwrapped optionals.
  static func force(_ file: SourceFile) -> [Finding] {
    guard file.isSwift, file.isShipped else { return [] }
    return file.findings { line in
      // Apple's own shapes: code for Darwin writes these with and without `!`.
      let isApples = line.hasPrefix("public var kCF")
      return forcesValue(line) && !isApples
        ? "`!` traps without a sentence: unwrap, throw or `precondition`" : nil
    }
  }

  /// True when a `!` stands right behind a value, a type, `try` or `as` and begins no `!=`.
  private static func forcesValue(_ line: String) -> Bool {
    guard line.contains("!") else { return false }
    let text = Array(line.utf8)
    return text.indices.contains { index in
      guard index > 0, text[index] == UInt8(ascii: "!") else { return false }
      let isComparison = index + 1 < text.count && text[index + 1] == UInt8(ascii: "=")
      let before = text[index - 1]
      return !isComparison && (isWordByte(before) || Array(")]}>?\"`".utf8).contains(before))
    }
  }

  /// `@unchecked Sendable` whose comment does not name its guard.
  static func uncheckedSendable(_ file: SourceFile) -> [Finding] {
    guard file.isSwift else { return [] }
    let comments = file.view.commentLines
    return file.view.codeLines.enumerated().compactMap { index, line in
      guard line.contains("@unchecked"), !commentNamesGuard(before: index, comments) else {
        return nil
      }
      return file.finding(
        index + 1, "`@unchecked Sendable` without a comment above that names the guard")
    }
  }

  /// The block of comments right above, up to three lines of code apart, or on the line itself.
  private static func commentNamesGuard(before index: Int, _ comments: [String]) -> Bool {
    func hasComment(_ line: Int) -> Bool { comments[line].contains("/") }
    var line = index
    while line > max(0, index - 3), !hasComment(line) { line -= 1 }
    while line >= 0, hasComment(line) {
      if comments[line].lowercased().hasWord("guard") { return true }
      line -= 1
    }
    return false
  }
}
