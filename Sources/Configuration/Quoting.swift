/// The longest piece of the user's text that is repeated in a message, in characters.
let quotedLimit = 60

/// The user's text for a message: in double quotes, control characters escaped, cut when long.
func quoted(_ text: some StringProtocol) -> String {
  let head = text.prefix(quotedLimit)
  let isCut = head.endIndex != text.endIndex
  return "\"" + escaped(head) + (isCut ? "…\"" : "\"")
}

/// One character of the user's text for a message, in single quotes.
func quoted(_ character: Character) -> String {
  let text = String(character)
  // A character can carry any number of combining marks.
  return "'" + escaped(String(text.unicodeScalars.prefix(4))) + "'"
}

/// Text as it stands between the double quotes of a TOML basic string.
func escaped(_ text: some StringProtocol) -> String {
  var result = ""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "\"": result += "\\\""
    case "\\": result += "\\\\"
    case "\n": result += "\\n"
    case "\t": result += "\\t"
    case "\r": result += "\\r"
    case _ where isControl(scalar): result += unicodeEscape(scalar)
    case _: result.unicodeScalars.append(scalar)
    }
  }
  return result
}

/// Control characters, and the marks that turn the direction of what follows.
private func isControl(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0..<0x20, 0x7f..<0xa0, 0x2028...0x202e, 0x2066...0x2069: true
  case _: false
  }
}

private func unicodeEscape(_ scalar: Unicode.Scalar) -> String {
  let digits = String(scalar.value, radix: 16, uppercase: true)
  return "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
}
