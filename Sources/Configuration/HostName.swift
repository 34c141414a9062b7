/// The name of a host, as DNS takes it: letters, digits, hyphens and underscores in labels.
public struct HostName: Hashable, Sendable, CustomStringConvertible {
  /// The longest name, in bytes, without a trailing dot (RFC 1035 §2.3.4).
  public static let limit = 253
  /// The longest label, in bytes.
  public static let labelLimit = 63

  /// The name in lower case; a trailing dot is kept and means that no search domain is tried.
  public let text: String

  /// The name's text.
  public var description: String { text }

  /// Reads a name.
  public init(_ text: String) throws(ConfigurationError) {
    self = try GrammarText(.target, text).hostName(text[...])
  }

  fileprivate init(checked text: String) {
    self.text = text
  }
}

/// What can be wrong with a host's name.
public enum HostFault: Hashable, Sendable {
  /// A character that no host's name has.
  case character(Character)
  /// A letter beyond ASCII.
  case international(Character)
  /// Longer than `HostName.limit`.
  case long(bytes: Int)
  /// Two dots in a row, or one in front.
  case labelMissing
  /// Longer than `HostName.labelLimit`.
  case labelLong(String)
  /// A hyphen at an end of a label.
  case hyphen(String)

  var code: String {
    switch self {
    case .character: "host-syntax"
    case .international: "host-international"
    case .long: "host-long"
    case .labelMissing: "host-label-missing"
    case .labelLong: "host-label-long"
    case .hyphen: "host-hyphen"
    }
  }

  var what: String {
    switch self {
    case .character(let character): "\(quoted(character)) is not part of a host name"
    case .international(let character):
      "\(quoted(character)) is an international character, and those are not translated here"
    case .long(let bytes): "the host name has \(bytes) bytes"
    case .labelMissing: "nothing stands in front of the dot"
    case .labelLong(let label): "\(quoted(label)) has \(label.utf8.count) bytes"
    case .hyphen(let label): "\(quoted(label)) begins or ends with a hyphen"
    }
  }

  var expected: String {
    switch self {
    case .character: "a host name has letters, digits, hyphens and dots"
    case .international: "write the name's ASCII form, as in \"xn--bcher-kva.example\""
    case .long: "a host name has at most \(HostName.limit)"
    case .labelMissing: "write a name as in \"web.example\""
    case .labelLong: "a name between dots has at most \(HostName.labelLimit)"
    case .hyphen: "hyphens stand between letters or digits"
    }
  }
}

extension GrammarText {
  func hostName(_ part: Substring) throws(ConfigurationError) -> HostName {
    if let index = part.firstIndex(where: { !$0.isHostCharacter }) {
      let character = part[index]
      let fault: HostFault = character.isASCII ? .character(character) : .international(character)
      throw self.fault(.host(fault), at: index)
    }
    let name = part.last == "." ? part.dropLast() : part
    if name.utf8.count > HostName.limit {
      throw fault(.host(.long(bytes: name.utf8.count)), at: part.startIndex)
    }
    for label in name.split(separator: ".", omittingEmptySubsequences: false) {
      if label.isEmpty { throw fault(.host(.labelMissing), at: label.startIndex) }
      if label.utf8.count > HostName.labelLimit {
        throw fault(.host(.labelLong(String(label))), at: label.startIndex)
      }
      if label.first == "-" || label.last == "-" {
        throw fault(.host(.hyphen(String(label))), at: label.startIndex)
      }
    }
    return HostName(checked: part.lowercased())
  }
}

extension Character {
  fileprivate var isHostCharacter: Bool {
    isASCII && (isLetter || isDecimalDigit || self == "-" || self == "_" || self == ".")
  }
}
