internal import Kernel

/// What can be wrong with an address.
public enum AddressFault: Hashable, Sendable {
  /// Nothing stands where the address should.
  case missing
  /// LISTEN takes addresses, not names.
  case notListenable(String)
  /// Looks like an IPv4 address and is none.
  case notIPv4(String)
  /// What stands in brackets is not an IPv6 address.
  case notIPv6(String)
  /// An IPv6 address without brackets.
  case bracketsNeeded
  /// An opening bracket is not closed.
  case bracketOpen
  /// Something other than a colon follows the closing bracket.
  case bracketFollowed(Character)
  /// The address names an interface that this machine does not have.
  case interfaceUnknown(String)
  /// `0.0.0.0` or `::` as a target.
  case unspecified(String)

  var code: String {
    switch self {
    case .missing: "address-missing"
    case .notListenable: "address-not-listenable"
    case .notIPv4: "address-ipv4"
    case .notIPv6: "address-ipv6"
    case .bracketsNeeded: "address-brackets-needed"
    case .bracketOpen: "address-bracket-open"
    case .bracketFollowed: "address-bracket-followed"
    case .interfaceUnknown: "address-interface-unknown"
    case .unspecified: "address-unspecified"
    }
  }

  var what: String {
    switch self {
    case .missing: "the address in front of the port is missing"
    case .notListenable(let text): "\(quoted(text)) is not an address of this machine"
    case .notIPv4(let text): "\(quoted(text)) is not an IPv4 address"
    case .notIPv6(let text): "\(quoted(text)) is not an IPv6 address"
    case .bracketsNeeded: "an IPv6 address stands in brackets"
    case .bracketOpen: "the bracket is not closed"
    case .bracketFollowed(let character): "\(quoted(character)) follows the bracket"
    case .interfaceUnknown(let name): "this machine has no interface \(quoted(name))"
    case .unspecified(let text): "nothing can connect to \(quoted(text))"
    }
  }

  func expected(in role: GrammarRole) -> String {
    switch (self, role) {
    case (.missing, .target): "write HOST:PORT, as in \"localhost:80\""
    case (.missing, .listen), (.missing, .forward):
      "write the port alone for this machine only, or any:PORT for every address"
    case (.notListenable, _): "write an IP address, localhost, or any for every address"
    case (.notIPv4, _): "write four numbers from 0 to 255, as in \"192.0.2.1\""
    case (.notIPv6, _), (.bracketsNeeded, _), (.bracketOpen, _):
      "write [ADDRESS]:PORT, as in \"[2001:db8::1]:80\""
    case (.bracketFollowed, _): "a colon and the port follow, as in \"[2001:db8::1]:80\""
    case (.interfaceUnknown, _): "write the name of one it has, as in \"[fe80::1%eth0]:80\""
    case (.unspecified, _): "write the address of one machine"
    }
  }
}

extension GrammarText {
  /// Splits `ADDRESS:PORT` or `[ADDRESS]:PORT`; the address is nil when there is no colon at all.
  func split(_ rest: Substring) throws(ConfigurationError) -> SplitAddress {
    if rest.first == "[" { return try splitBrackets(rest) }
    guard let colon = rest.firstIndex(of: ":") else {
      return SplitAddress(address: nil, isBracketed: false, port: rest)
    }
    let port = rest[rest.index(after: colon)...]
    if port.contains(":") { throw fault(.address(.bracketsNeeded), at: rest.startIndex) }
    return SplitAddress(address: rest[..<colon], isBracketed: false, port: port)
  }

  private func splitBrackets(_ rest: Substring) throws(ConfigurationError) -> SplitAddress {
    guard let close = rest.firstIndex(of: "]") else {
      throw fault(.address(.bracketOpen), at: rest.startIndex)
    }
    let address = rest[rest.index(after: rest.startIndex)..<close]
    let after = rest[rest.index(after: close)...]
    guard let colon = after.first else { throw fault(.port(.missing), at: after.startIndex) }
    guard colon == ":" else {
      throw fault(.address(.bracketFollowed(colon)), at: after.startIndex)
    }
    return SplitAddress(address: address, isBracketed: true, port: after.dropFirst())
  }

  /// Reads what stood in brackets.
  func bracketed(_ part: Substring) throws(ConfigurationError) -> IPAddress {
    if let address = IPAddress(part), address.isIPv6 { return address.unmapped }
    let pieces = part.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
    if pieces.count == 2, let address = IPAddress(pieces[0]), address.isIPv6 {
      throw fault(.address(.interfaceUnknown(String(pieces[1]))), at: pieces[1].startIndex)
    }
    throw fault(.address(.notIPv6(String(part))), at: part.startIndex)
  }

  /// True when a host's last label is a number, which makes it an IPv4 address or nothing.
  func isNumeric(_ host: Substring) -> Bool {
    let name = host.last == "." ? host.dropLast() : host
    return isNumber(name.split(separator: ".", omittingEmptySubsequences: false).last ?? "")
  }
}

/// An address and a port, not yet read.
struct SplitAddress {
  var address: Substring?
  var isBracketed: Bool
  var port: Substring
}
