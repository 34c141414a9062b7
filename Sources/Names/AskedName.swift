internal import Kernel

/// What somebody gave to be resolved.
enum AskedName: Hashable {
  /// An address in text.
  case address(IPAddress)
  /// `localhost` or a name under it: this machine, and no server is asked (RFC 6761 §6.3).
  case localhost
  /// No host's name.
  case invalid
  /// A name for the hosts file and DNS.
  case domain(DomainName)

  init(_ text: String) {
    if let address = IPAddress(text) {
      self = .address(address)
    } else if let name = DomainName(text) {
      self = name.isLocalhost ? .localhost : .domain(name)
    } else {
      self = .invalid
    }
  }
}

/// A host's name: labels of letters, digits, hyphens and underscores.
struct DomainName: Hashable, Sendable {
  /// The longest name and label, in bytes (RFC 1035 §2.3.4).
  static let limit = 253
  static let labelLimit = 63

  /// The name in lower case without the dot at its end.
  let text: String
  /// True when the name ended with a dot: it is whole, and no search domain is put behind it.
  let isAbsolute: Bool
  /// Dots between labels.
  let dots: Int

  /// Nil for what cannot be a host's name. A last label of digits is an address that went wrong
  /// (`10.0.0.256`, `127.1`): it is no name, and asking a server for it would be a leak.
  init?(_ text: String) {
    let lower = text.lowercased()
    isAbsolute = lower.last == "."
    let name = isAbsolute ? lower.dropLast() : lower[...]
    guard !name.isEmpty, name.utf8.count <= DomainName.limit else { return nil }
    let labels = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    for label in labels {
      guard (1...DomainName.labelLimit).contains(label.count),
        label.allSatisfy(DomainName.isHostByte)
      else { return nil }
    }
    guard let last = labels.last, !last.allSatisfy(DomainName.isDigit) else { return nil }
    dots = labels.count - 1
    self.text = String(name)
  }

  /// What the name is remembered under.
  var key: String { isAbsolute ? text + "." : text }

  var isLocalhost: Bool { text == "localhost" || text.hasSuffix(".localhost") }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func isHostByte(_ byte: UInt8) -> Bool {
    isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
      || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
  }
}
