/// What holds for every text file.
enum TextRules {
  static func trailingSpace(_ file: SourceFile) -> [Finding] {
    file.lines.enumerated().compactMap { index, line in
      guard let last = line.last, last.isWhitespace else { return nil }
      return file.finding(index + 1, "white space at the end of the line")
    }
  }

  static func lastLineEnd(_ file: SourceFile) -> [Finding] {
    guard !file.text.isEmpty, !file.text.hasSuffix("\n") || file.text.hasSuffix("\n\n") else {
      return []
    }
    return [file.finding(file.lines.count, "a file ends with one line end")]
  }
}
