/// A function, initialiser or computed property with the lines it covers.
struct Body: Equatable, Sendable {
  var name: String
  var firstLine: Int
  var lastLine: Int

  /// Lines from the keyword to the closing brace.
  var length: Int { lastLine - firstLine + 1 }
}

/// Finds the bodies of a text by its keywords and braces.
struct BodyScanner {
  private let tokens: [Token]

  init(_ view: CodeView) {
    tokens = view.tokens
  }

  // MARK: Swift

  /// Functions, initialisers, deinitialisers, subscripts and computed or observed properties.
  func swiftBodies() -> [Body] {
    tokens.indices.compactMap { index in
      let token = tokens[index]
      guard !token.isMember else { return nil }
      switch token.text {
      case "func": return body(index, name(after: index), functionBrace(after: index + 1))
      case "init", "deinit", "subscript":
        return body(index, token.text, functionBrace(after: index))
      case "var": return body(index, name(after: index), propertyBrace(after: index))
      default: return nil
      }
    }
  }

  private func name(after index: Int) -> String {
    index + 1 < tokens.count ? tokens[index + 1].text : ""
  }

  private func body(_ start: Int, _ name: String, _ brace: Int?) -> Body? {
    guard let brace, let end = closingBrace(of: brace) else { return nil }
    return Body(name: name, firstLine: tokens[start].line, lastLine: tokens[end].line)
  }

  /// Words that begin the next declaration: the one before had no body.
  private static let declarations: Set<String> = [
    "func", "init", "deinit", "subscript", "var", "let", "case", "import", "struct", "class",
    "enum", "actor", "protocol", "extension", "associatedtype", "typealias",
  ]

  private func functionBrace(after index: Int) -> Int? {
    var depth = 0
    for position in tokens.indices.dropFirst(index + 1) {
      let token = tokens[position]
      switch token.text {
      case "(", "[": depth += 1
      case ")", "]": depth -= 1
      case "{" where depth == 0: return position
      case "}" where depth == 0: return nil
      case let text where depth == 0 && BodyScanner.declarations.contains(text):
        if !token.isMember { return nil }
      default: break
      }
    }
    return nil
  }

  /// The brace behind a property's name and type; nil when a value or the next line comes first.
  private func propertyBrace(after index: Int) -> Int? {
    var depth = 0
    var line = tokens[index].line
    for position in tokens.indices.dropFirst(index + 1) {
      let token = tokens[position]
      let isOnNewLine = depth == 0 && token.line > line && token.text != "{"
      if isOnNewLine || (depth == 0 && ["=", "in", "}", ";"].contains(token.text)) { return nil }
      line = token.line
      switch token.text {
      case "(", "[": depth += 1
      case ")", "]": depth -= 1
      case "{" where depth == 0: return position
      default: break
      }
    }
    return nil
  }

  private func closingBrace(of brace: Int) -> Int? {
    var depth = 0
    for position in tokens.indices.dropFirst(brace) {
      switch tokens[position].text {
      case "{": depth += 1
      case "}": depth -= 1
      default: break
      }
      if depth == 0 { return position }
    }
    return nil
  }

  // MARK: C

  /// Functions: braces behind a parameter list that stand in no other function.
  func cBodies() -> [Body] {
    var bodies: [Body] = []
    var position = 0
    var start = 0
    while position < tokens.count {
      if tokens[position].text == "{", isFunctionBrace(position),
        let end = closingBrace(of: position)
      {
        bodies.append(
          Body(
            name: cName(before: position), firstLine: tokens[start].line,
            lastLine: tokens[end].line))
        position = end
      }
      if ["{", "}", ";"].contains(tokens[position].text) { start = position + 1 }
      position += 1
    }
    return bodies
  }

  private func isFunctionBrace(_ position: Int) -> Bool {
    var before = position - 1
    while before >= 0, ["const", "noexcept", "override"].contains(tokens[before].text) {
      before -= 1
    }
    return before >= 0 && tokens[before].text == ")"
  }

  private func cName(before brace: Int) -> String {
    var depth = 0
    for position in tokens.indices.prefix(brace).reversed() {
      switch tokens[position].text {
      case ")": depth += 1
      case "(":
        depth -= 1
        if depth == 0 { return position > 0 ? tokens[position - 1].text : "" }
      default: break
      }
    }
    return ""
  }
}
