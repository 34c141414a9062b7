/// A word or a mark of the code.
struct Token: Equatable, Sendable {
  var text: String
  var line: Int
  /// True right behind a dot: `.init` declares nothing.
  var isMember: Bool
}

extension CodeView {
  /// The words and marks of the code in order. A word in backticks is one token.
  var tokens: [Token] {
    var tokens: [Token] = []
    var word: [UInt8] = []
    var line = 1
    var isQuoted = false
    func finish() {
      guard !word.isEmpty else { return }
      let isMember = tokens.last?.text == "."
      tokens.append(
        Token(text: String(decoding: word, as: UTF8.self), line: line, isMember: isMember))
      word = []
    }
    for byte in code.utf8 {
      if byte == UInt8(ascii: "`") { isQuoted.toggle() }
      if isQuoted || byte == UInt8(ascii: "`") || isWordByte(byte) {
        word.append(byte)
        continue
      }
      finish()
      if byte == UInt8(ascii: "\n") {
        line += 1
      } else if byte != UInt8(ascii: " ") {
        word = [byte]
        finish()
      }
    }
    finish()
    return tokens
  }
}

/// True for a byte that may stand in an identifier; every byte beyond ASCII may.
func isWordByte(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
  case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
  default: byte >= 0x80
  }
}

extension String {
  /// True when `word` stands in the text with no word byte before or behind it.
  func hasWord(_ word: String) -> Bool {
    // The cheap answer first: nearly every line has none.
    guard contains(word) else { return false }
    let text = Array(utf8)
    let sought = Array(word.utf8)
    guard text.count >= sought.count else { return false }
    for start in 0...(text.count - sought.count) {
      let end = start + sought.count
      guard Array(text[start..<end]) == sought else { continue }
      let isOpenBefore = start == 0 || !isWordByte(text[start - 1])
      let isOpenBehind = end == text.count || !isWordByte(text[end])
      if isOpenBefore && isOpenBehind { return true }
    }
    return false
  }
}
