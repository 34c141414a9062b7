/// What the schema has and this version does not yet: named, so that nobody takes it for granted.
public enum LaterFeature: Hashable, Sendable {
  /// `ftps://` and `PORT/ftps`: FTP that begins with TLS.
  case ftps
  /// `tls://`.
  case tlsScheme
  /// `8000-8100`.
  case portRange
  /// A balance other than `first`.
  case balance(String)
  /// A value of `ftp.tls` other than `refuse` and `pass`.
  case ftpSecurity(String)
  /// A key of the file.
  case key(LaterKey)

  /// The code of every error about a feature that is still to come.
  static let code = "not-in-this-version"

  var what: String {
    switch self {
    case .ftps: "FTP that begins with TLS is not in this version of Adit yet"
    case .tlsScheme: "TLS is not in this version of Adit yet"
    case .portRange: "a range of ports is not in this version of Adit yet"
    case .balance(let name): "balance \(quoted(name)) is not in this version of Adit yet"
    case .ftpSecurity(let name): "tls \(quoted(name)) is not in this version of Adit yet"
    case .key(let key):
      "\(quoted(key.rawValue)) (\(key.meaning)) is not in this version of Adit yet"
    }
  }

  var expected: String {
    switch self {
    case .ftps: "write ftp://, or tcp:// to carry its bytes unread"
    case .ftpSecurity: "write \"refuse\" or \"pass\""
    case .tlsScheme: "write tcp:// or no scheme"
    case .portRange: "write one port"
    case .balance: "write \"first\""
    case .key: "leave it out"
    }
  }
}

/// The keys that the schema has and this version does not yet.
public enum LaterKey: String, CaseIterable, Hashable, Sendable {
  /// TLS on the listening side.
  case tls
  /// TLS to the target.
  case targetTLS = "target-tls"
  /// The PROXY protocol.
  case proxyProtocol = "proxy-protocol"
  /// Sources that may connect.
  case allow

  var meaning: String {
    switch self {
    case .tls: "TLS on the listening side"
    case .targetTLS: "TLS to the target"
    case .proxyProtocol: "the PROXY protocol"
    case .allow: "the sources that may connect"
    }
  }
}
