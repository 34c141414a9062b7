/// What a text of the grammar is for.
public enum GrammarRole: String, Hashable, Sendable {
  /// Where a tunnel listens.
  case listen
  /// Where a tunnel carries to.
  case target
  /// Both, as in `-L LISTEN=TARGET`.
  case forward = "-L"
}

/// A place in a text of the grammar.
public struct TextPlace: Hashable, Sendable {
  /// What the text is for.
  public let role: GrammarRole
  /// The whole text.
  public let text: String
  /// The character meant, counted from 1; one past the last where something is missing.
  public let column: Int

  init(_ role: GrammarRole, _ text: String, at index: String.Index) {
    self.role = role
    self.text = text
    column = text.distance(from: text.startIndex, to: index) + 1
  }
}

/// A text on its way through the grammar: it knows what it is for and makes errors with a place.
struct GrammarText {
  /// The longest text that is read, in bytes: a list of targets for one tunnel fits, a file does
  /// not.
  static let limit = 16_384

  let role: GrammarRole
  let text: String

  init(_ role: GrammarRole, _ text: String) throws(ConfigurationError) {
    self.role = role
    self.text = text
    if text.isEmpty { throw fault(.form(.empty), at: text.startIndex) }
    if text.utf8.count > GrammarText.limit {
      throw fault(.form(.long(limit: GrammarText.limit)), at: text.startIndex)
    }
  }

  func fault(_ fault: TextFault, at index: String.Index) -> ConfigurationError {
    .text(fault, at: TextPlace(role, text, at: index))
  }

  /// Takes `scheme://` off the front; nil when there is none.
  func removeScheme(from rest: inout Substring) throws(ConfigurationError) -> Transport? {
    guard let colon = rest.firstIndex(of: ":"), rest[colon...].hasPrefix("://") else { return nil }
    let transport = try self.transport(rest[..<colon], in: .scheme)
    rest = rest[rest.index(colon, offsetBy: 3)...]
    return transport
  }

  /// Takes `/tcp`, `/udp` or `/ftp` off the end, as in `8080/tcp`; nil when there is none.
  func removeSuffix(from rest: inout Substring) throws(ConfigurationError) -> Transport? {
    guard let slash = rest.lastIndex(of: "/") else { return nil }
    let suffix = rest[rest.index(after: slash)...]
    guard !suffix.isEmpty, suffix.allSatisfy({ $0.isASCII && $0.isLetter }) else { return nil }
    let transport = try self.transport(suffix, in: .suffix)
    rest = rest[..<slash]
    return transport
  }

  private enum TransportForm { case scheme, suffix }

  private func transport(
    _ transport: Substring, in form: TransportForm
  ) throws(ConfigurationError) -> Transport {
    switch (transport.lowercased(), form) {
    case ("tcp", _): return .tcp
    case ("udp", _): return .udp
    case ("ftp", _) where role != .target: return .ftp
    case ("ftp", _): throw fault(.form(.scheme("ftp")), at: transport.startIndex)
    case ("ftps", _): throw fault(.later(.ftps), at: transport.startIndex)
    case ("tls", _): throw fault(.later(.tlsScheme), at: transport.startIndex)
    case (_, .scheme):
      throw fault(.form(.scheme(String(transport))), at: transport.startIndex)
    case (_, .suffix):
      throw fault(.form(.suffix(String(transport))), at: transport.startIndex)
    }
  }
}
