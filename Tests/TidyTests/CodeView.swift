/// A source text taken apart: `code` and `comments` are both as long as the text and have its line
/// ends, with spaces where the other, or the inside of a string, stands. Quotes stay in the code,
/// and so does what a string interpolates.
struct CodeView: Sendable {
  enum Language: Sendable {
    case swift
    case c
    case other
  }

  let code: String
  let comments: String

  init(_ text: String, language: Language) {
    guard language != .other else {
      code = ""
      comments = ""
      return
    }
    var lexer = Lexer(text, language: language)
    lexer.run()
    code = String(decoding: lexer.code, as: UTF8.self)
    comments = String(decoding: lexer.comments, as: UTF8.self)
  }

  var codeLines: [String] { CodeView.lines(code) }
  var commentLines: [String] { CodeView.lines(comments) }

  private static func lines(_ text: String) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
  }
}

/// Walks a text once, byte by byte; what it understands of Swift and C is comments and literals.
private struct Lexer {
  /// A string literal that is open.
  struct Literal {
    var hashes: Int
    var isMultiline: Bool
    /// Parentheses open in an interpolation; 0 while in the string's own text.
    var parentheses = 0
  }

  let source: [UInt8]
  let language: CodeView.Language
  var code: [UInt8]
  var comments: [UInt8]
  var position = 0
  var literals: [Literal] = []

  init(_ text: String, language: CodeView.Language) {
    source = Array(text.utf8)
    self.language = language
    code = source.map { $0 == newline ? newline : space }
    comments = code
  }

  mutating func run() {
    while position < source.count {
      if let literal = literals.last, literal.parentheses == 0 {
        stepInText(of: literal)
      } else {
        stepInCode()
      }
    }
  }

  // MARK: Looking and moving

  private func starts(with text: String) -> Bool {
    starts(with: text, at: position)
  }

  private func starts(with text: String, at start: Int) -> Bool {
    var index = start
    for byte in text.utf8 {
      guard index < source.count, source[index] == byte else { return false }
      index += 1
    }
    return true
  }

  private mutating func keepCode(_ count: Int) {
    for _ in 0..<count where position < source.count {
      code[position] = source[position]
      position += 1
    }
  }

  private mutating func skip(_ count: Int) {
    position = min(position + count, source.count)
  }

  // MARK: Code

  private mutating func stepInCode() {
    if starts(with: "//") { return takeLineComment() }
    if starts(with: "/*") { return takeBlockComment() }
    if language == .c { return stepInC() }
    if let literal = openingQuote() {
      keepCode(literal.hashes + (literal.isMultiline ? 3 : 1))
      return literals.append(literal)
    }
    if let end = regexEnd() {
      return skip(end - position)
    }
    countParenthesis()
    keepCode(1)
  }

  private mutating func countParenthesis() {
    guard !literals.isEmpty else { return }
    if source[position] == UInt8(ascii: "(") { literals[literals.count - 1].parentheses += 1 }
    if source[position] == UInt8(ascii: ")") { literals[literals.count - 1].parentheses -= 1 }
  }

  private mutating func stepInC() {
    if starts(with: "#") && lineIsBlankBefore(position) { return skipDirective() }
    if starts(with: "\"") || starts(with: "'") {
      let quote = source[position]
      keepCode(1)
      while position < source.count, source[position] != quote, source[position] != newline {
        skip(source[position] == backslash ? 2 : 1)
      }
    }
    keepCode(1)
  }

  private func lineIsBlankBefore(_ index: Int) -> Bool {
    var index = index - 1
    while index >= 0, source[index] != newline {
      guard source[index] == space else { return false }
      index -= 1
    }
    return true
  }

  private mutating func skipDirective() {
    while position < source.count, source[position] != newline {
      skip(source[position] == backslash ? 2 : 1)
    }
  }

  // MARK: Comments

  private mutating func takeLineComment() {
    while position < source.count, source[position] != newline {
      comments[position] = source[position]
      position += 1
    }
  }

  /// Block comments nest in Swift and do not in C.
  private mutating func takeBlockComment() {
    var depth = 0
    repeat {
      var width = 1
      if starts(with: "/*"), depth == 0 || language == .swift {
        depth += 1
        width = 2
      } else if starts(with: "*/") {
        depth -= 1
        width = 2
      }
      for _ in 0..<width where position < source.count {
        comments[position] = source[position]
        position += 1
      }
    } while depth > 0 && position < source.count
  }

  // MARK: Literals

  private func openingQuote() -> Literal? {
    var index = position
    while index < source.count, source[index] == hash { index += 1 }
    guard starts(with: "\"", at: index) else { return nil }
    return Literal(
      hashes: index - position, isMultiline: starts(with: "\"\"\"", at: index))
  }

  private mutating func stepInText(of literal: Literal) {
    let hashes = String(repeating: "#", count: literal.hashes)
    let quote = literal.isMultiline ? "\"\"\"" : "\""
    if starts(with: quote + hashes) {
      keepCode(quote.utf8.count + literal.hashes)
      literals.removeLast()
    } else if starts(with: "\\" + hashes + "(") {
      skip(1 + literal.hashes)
      keepCode(1)
      literals[literals.count - 1].parentheses = 1
    } else if starts(with: "\\" + hashes) {
      skip(2 + literal.hashes)
    } else if source[position] == newline && !literal.isMultiline {
      literals.removeLast()
    } else {
      skip(1)
    }
  }

  /// Where a regex literal that begins here ends; nil when none does. A bare one begins after an
  /// opening or an operator, not with a space, and ends on its line: a division does none of these.
  private func regexEnd() -> Int? {
    if starts(with: "#/") { return end(of: "/#", from: position + 2, acrossLines: true) }
    guard starts(with: "/"), position + 1 < source.count, source[position + 1] != space else {
      return nil
    }
    var before = position - 1
    while before >= 0, source[before] == space { before -= 1 }
    let opens = before < 0 || Array("(,=[{:\n".utf8).contains(source[before])
    return opens ? end(of: "/", from: position + 1, acrossLines: false) : nil
  }

  private func end(of mark: String, from start: Int, acrossLines: Bool) -> Int? {
    var index = start
    while index < source.count, acrossLines || source[index] != newline {
      if starts(with: mark, at: index) { return index + mark.utf8.count }
      index += source[index] == backslash ? 2 : 1
    }
    return nil
  }
}

private let newline = UInt8(ascii: "\n")
private let space = UInt8(ascii: " ")
private let backslash = UInt8(ascii: "\\")
private let hash = UInt8(ascii: "#")
