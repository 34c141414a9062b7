/// A file holds one idea, a function fits a screen, a line fits beside another one.
enum SizeRules {
  static let lineLimit = 100
  static let functionLimit = 40
  static let fileLimit = 400
  static let longFileLimit = 500

  static func longLines(_ file: SourceFile) -> [Finding] {
    var isQuoted = false
    return file.lines.enumerated().compactMap { index, line in
      if file.isMarkdown, line.hasPrefix("```") || isMarkOfMadeText(line) { isQuoted.toggle() }
      let length = line.count
      guard length > lineLimit, !isQuoted, !mayBeLong(line, in: file) else { return nil }
      return file.finding(
        index + 1, "\(length) columns; the limit is \(lineLimit): break the line")
    }
  }

  /// What stands between these two was written by a program.
  private static func isMarkOfMadeText(_ line: Substring) -> Bool {
    line.hasPrefix("<!-- bench: begin") || line.hasPrefix("<!-- bench: end")
  }

  /// Tables cannot be broken in Markdown, nor quoted output, nor addresses anywhere.
  private static func mayBeLong(_ line: Substring, in file: SourceFile) -> Bool {
    (file.isMarkdown && line.hasPrefix("|")) || line.contains("://")
  }

  static func longFunctions(_ file: SourceFile) -> [Finding] {
    let scanner = BodyScanner(file.view)
    let bodies = file.isSwift ? scanner.swiftBodies() : file.isC ? scanner.cBodies() : []
    return bodies.filter { $0.length > functionLimit }.map { body in
      file.finding(
        body.firstLine,
        "\(body.name) has \(body.length) lines; the limit is \(functionLimit):"
          + " let helpers compute and the parent decide")
    }
  }

  static func longFiles(_ file: SourceFile) -> [Finding] {
    guard file.isSwift || file.isC, file.lines.count > fileLimit else { return [] }
    let count = file.lines.count
    if count > longFileLimit {
      let advice = "\(count) lines; the limit is \(longFileLimit): split it"
      return [file.finding(longFileLimit, advice)]
    }
    let hasReason = file.lines.prefix(5).contains { line in
      line.hasPrefix("// long: ") && line.count > "// long: ".count
    }
    let advice = "\(count) lines; above \(fileLimit) the first lines say why: `// long: REASON`"
    return hasReason ? [] : [file.finding(1, advice)]
  }
}
