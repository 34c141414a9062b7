/// Cuts one direction of a control channel into lines, bytes only.
///
/// 1. Bytes are appended as they come, cut anywhere.
/// 2. Telnet commands in front of a line are given out at once: they are never part of what is
///    matched, and the urgent one must keep its place.
/// 3. A line is given out when its LF has come; a bare LF ends one too.
/// 4. A line longer than `limit` is given out in pieces that nobody matches.
struct LineScanner {
  /// What is given out.
  enum Piece: Equatable {
    /// A whole line with its end.
    case line([UInt8])
    /// Bytes that are passed on and not looked at.
    case untouched([UInt8])
  }

  /// The longest line that is matched, in bytes; paths are at most 4096.
  static let limit = 8_192

  private enum Telnet { case outside, command, option }

  private var bytes: [UInt8] = []
  /// Bytes of `bytes` known to hold no LF.
  private var searched = 0
  private var telnet = Telnet.outside
  private var isAtStart = true
  /// The rest of this line is passed on as it comes.
  private var isPassing = false
  /// Lines that were too long to be matched.
  private(set) var longLines = 0

  mutating func append(_ more: some Sequence<UInt8>) {
    bytes.append(contentsOf: more)
  }

  /// What is held of a line without an end.
  mutating func takeRest() -> [UInt8] {
    defer {
      bytes = []
      searched = 0
    }
    return bytes
  }

  mutating func next() -> Piece? {
    if bytes.isEmpty { return nil }
    if isAtStart, let commands = takeTelnet() { return .untouched(commands) }
    if bytes.isEmpty { return nil }
    isAtStart = false
    if let end = bytes[searched...].firstIndex(of: ControlText.lineFeed) {
      isAtStart = true
      let isUntouched = isPassing || end >= LineScanner.limit
      if !isPassing, isUntouched { longLines += 1 }
      isPassing = false
      let line = take(end + 1)
      return isUntouched ? .untouched(line) : .line(line)
    }
    searched = bytes.count
    if !isPassing, bytes.count > LineScanner.limit {
      isPassing = true
      longLines += 1
    }
    return isPassing ? .untouched(take(bytes.count)) : nil
  }

  private mutating func take(_ count: Int) -> [UInt8] {
    let taken = Array(bytes[..<count])
    bytes.removeFirst(count)
    searched = 0
    return taken
  }

  /// Takes the Telnet commands in front of a line; nil when there are none.
  private mutating func takeTelnet() -> [UInt8]? {
    var count = 0
    scan: for byte in bytes {
      switch telnet {
      case .outside:
        guard byte == ControlText.interpretAsCommand else { break scan }
        telnet = .command
      case .command:
        telnet = ControlText.optionCommands.contains(byte) ? .option : .outside
        // A doubled 0xFF is the byte itself: the line has begun, and begins with no verb.
        if byte == ControlText.interpretAsCommand {
          isPassing = true
          isAtStart = false
          count += 1
          break scan
        }
      case .option: telnet = .outside
      }
      count += 1
    }
    return count > 0 ? take(count) : nil
  }
}
