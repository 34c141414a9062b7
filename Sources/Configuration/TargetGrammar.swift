internal import Kernel

extension TargetSpecification {
  /// Reads one place of TARGET: `[tcp://]HOST:PORT`, `udp://HOST:PORT` or `unix:PATH`.
  public init(_ text: String) throws(ConfigurationError) {
    let grammar = try GrammarText(.target, text)
    self = try grammar.target(text[...])
  }

  /// Reads TARGET: `HOST:PORT[,HOST:PORT…]` or `unix:PATH`, in the order of trying.
  public static func list(_ text: String) throws(ConfigurationError) -> [TargetSpecification] {
    let grammar = try GrammarText(.target, text)
    var targets: [TargetSpecification] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      if part.isEmpty { throw grammar.fault(.form(.elementMissing), at: part.startIndex) }
      targets.append(try grammar.target(part))
    }
    return targets
  }
}

extension GrammarText {
  fileprivate func target(_ part: Substring) throws(ConfigurationError) -> TargetSpecification {
    if let name = try unixName(part) {
      if let comma = part.firstIndex(of: ",") { throw fault(.unix(.comma), at: comma) }
      return .unix(name)
    }
    var rest = part
    switch try removeScheme(from: &rest) {
    case .udp: return .udp(try place(rest))
    case .tcp, .ftp, nil: return try place(rest)
    }
  }

  private func place(_ rest: Substring) throws(ConfigurationError) -> TargetSpecification {
    let parts = try split(rest)
    guard let host = parts.address else {
      if isNumber(parts.port) { throw fault(.address(.missing), at: rest.startIndex) }
      throw fault(.port(.missing), at: rest.endIndex)
    }
    if host.isEmpty { throw fault(.address(.missing), at: host.startIndex) }
    if parts.isBracketed {
      return .address(try specified(bracketed(host), host), port: try port(parts.port))
    }
    if let address = IPAddress(host) {
      return .address(try specified(address, host), port: try port(parts.port))
    }
    if isNumeric(host) { throw fault(.address(.notIPv4(String(host))), at: host.startIndex) }
    return .host(try hostName(host), port: try port(parts.port))
  }

  private func specified(
    _ address: IPAddress, _ part: Substring
  ) throws(ConfigurationError) -> IPAddress {
    guard address.isUnspecified else { return address }
    throw fault(.address(.unspecified(String(part))), at: part.startIndex)
  }
}
