/// What can be wrong with a port.
public enum PortFault: Hashable, Sendable {
  /// No port at all.
  case missing
  /// A character that is not a digit.
  case character(Character)
  /// More than 65535.
  case range(String)
  /// A zero in front, which some programs read as octal.
  case leadingZero(String)
  /// Port 0, to which nothing can connect.
  case zero

  var code: String {
    switch self {
    case .missing: "port-missing"
    case .character: "port-syntax"
    case .range: "port-range"
    case .leadingZero: "port-leading-zero"
    case .zero: "port-zero"
    }
  }

  var what: String {
    switch self {
    case .missing: "the port is missing"
    case .character(let character): "\(quoted(character)) is not part of a port"
    case .range(let text): "\(quoted(text)) is no port"
    case .leadingZero(let text): "\(quoted(text)) begins with 0"
    case .zero: "nothing can connect to port 0"
    }
  }

  func expected(in role: GrammarRole) -> String {
    switch (self, role) {
    case (.leadingZero(let text), _):
      "write \(text.drop { $0 == "0" })"
    case (_, .target): "a port is a number from 1 to 65535"
    case (_, .listen), (_, .forward): "a port is a number from 0 to 65535"
    }
  }
}

extension GrammarText {
  /// Reads a port that is the whole of `part`.
  func port(_ part: Substring) throws(ConfigurationError) -> UInt16 {
    if part.isEmpty { throw fault(.port(.missing), at: part.startIndex) }
    if let index = part.firstIndex(where: { !$0.isDecimalDigit }) {
      let first = part[..<index]
      let second = part[part.index(after: index)...]
      if part[index] == "-", isNumber(first), isNumber(second) {
        throw fault(.later(.portRange), at: part.startIndex)
      }
      throw fault(.port(.character(part[index])), at: index)
    }
    guard part.utf8.count <= 5, let port = UInt16(part) else {
      throw fault(.port(.range(String(part))), at: part.startIndex)
    }
    if part.utf8.count > 1, part.first == "0", port != 0 {
      throw fault(.port(.leadingZero(String(part))), at: part.startIndex)
    }
    if port == 0, role == .target { throw fault(.port(.zero), at: part.startIndex) }
    return port
  }
}

/// True for one or more decimal digits.
func isNumber(_ text: some StringProtocol) -> Bool {
  !text.isEmpty && text.allSatisfy(\.isDecimalDigit)
}

extension Character {
  /// True for 0 to 9 alone: `isNumber` and `isWholeNumber` take every script's digits.
  var isDecimalDigit: Bool { self >= "0" && self <= "9" && isASCII }
}
