/// Why TLS cannot go on.
public enum TLSError: Error, Hashable, Sendable {
  /// The peer's certificate is not trusted, with the reason.
  case untrusted(String)
  /// The handshake failed, with the library's reason.
  case handshake(String)
  /// The handshake was not over in time.
  case handshakeTimedOut
  /// The peer ended the connection without ending TLS: what came may be cut off.
  case truncated
  /// A record could not be read or written, with the library's reason.
  case protocolViolation(String)
  /// A setting cannot be used, with what and why.
  case configuration(String)
}

extension TLSError: CustomStringConvertible {
  /// A sentence without its full stop.
  public var description: String {
    switch self {
    case .untrusted(let reason): "the peer's certificate is not trusted: \(reason)"
    case .handshake(let reason): "the TLS handshake failed: \(reason)"
    case .handshakeTimedOut: "the TLS handshake was not over in time"
    case .truncated: "the connection ended without an end of TLS"
    case .protocolViolation(let reason): "TLS broke: \(reason)"
    case .configuration(let reason): "TLS cannot be set up: \(reason)"
    }
  }
}
