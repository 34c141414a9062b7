/// The first place where a key has more parts than `ConfigurationFile.keyDepthLimit`.
///
/// The parser makes a table of each part of `a.b.c` and frees them by recursion: half a million
/// parts, which fit in a file of the size that is read, would end the program. Strings are skipped,
/// so that their dots do not count; what is not TOML may be scanned wrongly, but only behind the
/// place where the parser stops.
func deepKey(in bytes: [UInt8]) -> TOMLPlace? {
  var scanner = KeyScanner(bytes: bytes)
  return scanner.deepKey()
}

private struct KeyScanner {
  let bytes: [UInt8]
  var index = 0
  var line = 1
  var lineStart = 0
  var dots = 0

  init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  mutating func deepKey() -> TOMLPlace? {
    while index < bytes.count {
      let byte = bytes[index]
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "'"): skipString(byte)
      case UInt8(ascii: "#"): skipComment()
      case UInt8(ascii: "."):
        dots += 1
        if dots >= ConfigurationFile.keyDepthLimit {
          return TOMLPlace(line: line, column: index - lineStart + 1)
        }
        index += 1
      case UInt8(ascii: "="), UInt8(ascii: ","), UInt8(ascii: "{"), UInt8(ascii: "["), 0x0a:
        dots = 0
        step()
      case _: index += 1
      }
    }
    return nil
  }

  /// Moves one byte on and counts lines.
  private mutating func step() {
    if bytes[index] == 0x0a {
      line += 1
      lineStart = index + 1
    }
    index += 1
  }

  private mutating func skipComment() {
    while index < bytes.count, bytes[index] != 0x0a { index += 1 }
  }

  /// Equal bytes from here on.
  private func run(of byte: UInt8) -> Int {
    var end = index
    while end < bytes.count, bytes[end] == byte { end += 1 }
    return end - index
  }

  private mutating func skipString(_ quote: UInt8) {
    guard run(of: quote) >= 3 else { return skipLineString(quote) }
    index += 3
    while index < bytes.count {
      let quotes = run(of: quote)
      if quotes >= 3 {
        // Up to two quotes of the text may stand in front of the three that close it.
        index += min(quotes, 5)
        return
      }
      skipCharacter(quote)
    }
  }

  /// A string that ends in its line.
  private mutating func skipLineString(_ quote: UInt8) {
    index += 1
    while index < bytes.count, bytes[index] != 0x0a {
      if bytes[index] == quote {
        index += 1
        return
      }
      skipCharacter(quote)
    }
  }

  /// One byte of a string, or a backslash and what it escapes.
  private mutating func skipCharacter(_ quote: UInt8) {
    let escapes = quote == UInt8(ascii: "\"") && bytes[index] == UInt8(ascii: "\\")
    step()
    if escapes, index < bytes.count, bytes[index] != 0x0a { step() }
  }
}
