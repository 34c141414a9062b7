internal import Kernel

extension ListenSpecification {
  /// Reads LISTEN: `[tcp://|udp://|ftp://][ADDRESS:]PORT`, `PORT/tcp`, `PORT/udp`, `PORT/ftp`,
  /// `unix:PATH`, `unix:@NAME` or `fd:NAME`.
  ///
  /// An address is an IP address (IPv6 in brackets), `localhost`, or `any` or `*` for every
  /// address; without one it is 127.0.0.1.
  public init(_ text: String) throws(ConfigurationError) {
    let grammar = try GrammarText(.listen, text)
    if let name = try grammar.unixName(text[...]) {
      self = .unix(name)
    } else if text.hasPrefix("fd:") {
      self = .inherited(try grammar.inheritedName(text.dropFirst(3)))
    } else {
      var rest = text[...]
      let scheme = try grammar.removeScheme(from: &rest)
      let suffixAt = rest.lastIndex(of: "/") ?? rest.endIndex
      let suffix = try grammar.removeSuffix(from: &rest)
      if let scheme, let suffix, scheme != suffix {
        throw grammar.fault(.form(.twoTransports), at: suffixAt)
      }
      let (address, port) = try grammar.listenPort(rest)
      switch scheme ?? suffix ?? .tcp {
      case .tcp: self = .ip(address, port: port)
      case .udp: self = .udp(address, port: port)
      case .ftp: self = .ftp(address, port: port)
      }
    }
  }
}

extension GrammarText {
  fileprivate func listenPort(
    _ rest: Substring
  ) throws(ConfigurationError) -> (BindAddress, UInt16) {
    let parts = try split(rest)
    guard let address = parts.address else {
      if isAddressAlone(parts.port) { throw fault(.port(.missing), at: rest.endIndex) }
      return (.address(.loopback4), try port(parts.port))
    }
    if parts.isBracketed {
      return (.address(try bracketed(address)), try port(parts.port))
    }
    return (try listenAddress(address), try port(parts.port))
  }

  private func isAddressAlone(_ part: Substring) -> Bool {
    IPAddress(part) != nil || ["any", "*", "localhost"].contains(part.lowercased())
  }

  private func listenAddress(_ part: Substring) throws(ConfigurationError) -> BindAddress {
    if let address = IPAddress(part) { return .address(address) }
    switch part.lowercased() {
    case "any", "*": return .any
    case "localhost": return .localhost
    case "": throw fault(.address(.missing), at: part.startIndex)
    case _ where isNumeric(part):
      throw fault(.address(.notIPv4(String(part))), at: part.startIndex)
    case _: throw fault(.address(.notListenable(String(part))), at: part.startIndex)
    }
  }

  /// The name that sd_listen_fds_with_names(3) allows: printable ASCII without a colon.
  fileprivate func inheritedName(_ part: Substring) throws(ConfigurationError) -> String {
    if part.isEmpty { throw fault(.form(.inheritedMissing), at: part.startIndex) }
    let bad = part.firstIndex { character in
      guard let byte = character.asciiValue else { return true }
      return byte <= 0x20 || byte >= 0x7f || character == ":"
    }
    if let bad { throw fault(.form(.inheritedCharacter(part[bad])), at: bad) }
    if part.utf8.count > 255 { throw fault(.form(.inheritedLong), at: part.startIndex) }
    return String(part)
  }
}
