/// A control line without its end and without Telnet commands, for matching only.
struct ControlText: Equatable {
  static let lineFeed: UInt8 = 0x0a
  static let carriageReturn: UInt8 = 0x0d
  static let space: UInt8 = 0x20
  static let tab: UInt8 = 0x09
  /// Telnet's IAC.
  static let interpretAsCommand: UInt8 = 0xff
  /// WILL, WONT, DO and DONT: one more byte follows.
  static let optionCommands: ClosedRange<UInt8> = 251...254

  /// The text.
  private(set) var bytes: [UInt8] = []
  /// The Telnet commands that stood in it.
  private(set) var telnet: [UInt8] = []

  init(_ line: [UInt8]) {
    var index = 0
    while index < line.count {
      let byte = line[index]
      guard byte == ControlText.interpretAsCommand, index + 1 < line.count else {
        bytes.append(byte)
        index += 1
        continue
      }
      let next = line[index + 1]
      if next == ControlText.interpretAsCommand {
        bytes.append(byte)
        index += 2
      } else {
        let end = min(line.count, index + (ControlText.optionCommands.contains(next) ? 3 : 2))
        telnet += line[index..<end]
        index = end
      }
    }
    while let last = bytes.last, last == ControlText.lineFeed || last == ControlText.carriageReturn
    {
      bytes.removeLast()
    }
  }

  /// The line with CRLF at its end: a server to which a bare LF is no end would read two lines as
  /// one, and another command than was seen here.
  static func withBothEnds(_ line: [UInt8]) -> [UInt8] {
    guard line.last == lineFeed, line.dropLast().last != carriageReturn else { return line }
    return line.dropLast() + [carriageReturn, lineFeed]
  }

  /// The verb in upper case and what follows it, as the server will read them.
  var command: (verb: String, argument: ArraySlice<UInt8>)? {
    let isBlank = { (byte: UInt8) in byte == ControlText.space || byte == ControlText.tab }
    let text = bytes.drop(while: isBlank)
    let verb = text.prefix { !isBlank($0) }
    guard !verb.isEmpty else { return nil }
    let argument = text[verb.endIndex...].drop(while: isBlank)
    return (String(decoding: verb, as: UTF8.self).uppercased(), argument)
  }

  /// The code that the line begins with, and whether the reply goes on behind it.
  var reply: (code: Int, goesOn: Bool)? {
    guard bytes.count >= 3 else { return nil }
    var code = 0
    for byte in bytes[..<3] {
      guard let digit = decimalDigit(byte) else { return nil }
      code = code * 10 + digit
    }
    guard bytes.count > 3 else { return (code, false) }
    switch bytes[3] {
    case ControlText.space: return (code, false)
    case UInt8(ascii: "-"): return (code, true)
    case _: return nil
    }
  }
}

/// The value of an ASCII digit.
func decimalDigit(_ byte: UInt8) -> Int? {
  (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) ? Int(byte) - 0x30 : nil
}

/// Finds where replies end (RFC 959, 4.2): on the code that began it and a space, and on nothing
/// else, whatever the lines in between look like.
struct ReplyTracker {
  /// The code of the reply that goes on; nil between replies.
  private(set) var openCode: Int?

  enum Line: Equatable {
    /// Part of a reply that goes on.
    case part
    /// The last line of a reply, with its code; `isWhole` when it was the only one.
    case last(code: Int, isWhole: Bool)
  }

  mutating func see(_ text: ControlText) -> Line {
    guard let reply = text.reply else { return .part }
    if let open = openCode {
      guard reply.code == open, !reply.goesOn else { return .part }
      openCode = nil
      return .last(code: open, isWhole: false)
    }
    if reply.goesOn { openCode = reply.code }
    return reply.goesOn ? .part : .last(code: reply.code, isWhole: true)
  }

  /// What was taken for the middle of a reply was none.
  mutating func giveUp() { openCode = nil }
}
