/// What the schema has and this version does not yet: named, so that nobody takes it for granted.
public enum LaterFeature: Hashable, Sendable {
  /// `ftp://`, `ftps://` and `PORT/ftp`.
  case ftp
  /// `tls://`.
  case tlsScheme
  /// `8000-8100`.
  case portRange
  /// A balance other than `first`.
  case balance(String)
  /// A key of the file.
  case key(LaterKey)

  /// The code of every error about a feature that is still to come.
  static let code = "not-in-this-version"

  var what: String {
    switch self {
    case .ftp: "FTP is not in this version of Adit yet"
    case .tlsScheme: "TLS is not in this version of Adit yet"
    case .portRange: "a range of ports is not in this version of Adit yet"
    case .balance(let name): "balance \(quoted(name)) is not in this version of Adit yet"
    case .key(let key):
      "\(quoted(key.rawValue)) (\(key.meaning)) is not in this version of Adit yet"
    }
  }

  var expected: String {
    switch self {
    case .ftp, .tlsScheme: "write tcp:// or no scheme"
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
  /// The FTP gateway.
  case ftp
  /// The PROXY protocol.
  case proxyProtocol = "proxy-protocol"
  /// Sources that may connect.
  case allow

  var meaning: String {
    switch self {
    case .tls: "TLS on the listening side"
    case .targetTLS: "TLS to the target"
    case .ftp: "the FTP gateway"
    case .proxyProtocol: "the PROXY protocol"
    case .allow: "the sources that may connect"
    }
  }
}
