/// A stream's TLS, for code that asks it for the peer's name.
public final class SSLContext: Sendable {
  let peerName: [UInt8]

  /// Makes one of a stream whose peer is to have that name.
  package init(peerName: String) {
    self.peerName = Array(peerName.utf8)
  }
}

/// A version of TLS by Darwin's number of it, for settings that take the number.
public enum SSLProtocol: Int32, Sendable {
  /// None in particular.
  case sslProtocolUnknown = 0
  /// SSL 2, which nobody offers.
  case sslProtocol2 = 1
  /// SSL 3, which nobody offers.
  case sslProtocol3 = 2
  /// SSL 3 and nothing else.
  case sslProtocol3Only = 3
  /// TLS 1.0.
  case tlsProtocol1 = 4
  /// TLS 1.0 and nothing else.
  case tlsProtocol1Only = 5
  /// Every version.
  case sslProtocolAll = 6
  /// TLS 1.1.
  case tlsProtocol11 = 7
  /// TLS 1.2.
  case tlsProtocol12 = 8
  /// DTLS 1.0.
  case dtlsProtocol1 = 9
  /// TLS 1.3.
  case tlsProtocol13 = 10
  /// DTLS 1.2.
  case dtlsProtocol12 = 11
  /// The newest that there is.
  case tlsProtocolMaxSupported = 999
}

/// Gives the count of bytes of the name that the peer's certificate must be for.
@discardableResult
public func SSLGetPeerDomainNameLength(
  _ context: SSLContext, _ length: UnsafeMutablePointer<Int>
) -> OSStatus {
  // The caller's place for the answer.
  unsafe length.pointee = context.peerName.count
  return errSecSuccess
}

/// Gives the name that the peer's certificate must be for. `length` says how much room there is,
/// and then how much was used.
@discardableResult
public func SSLGetPeerDomainName(
  _ context: SSLContext, _ name: UnsafeMutablePointer<CChar>, _ length: UnsafeMutablePointer<Int>
) -> OSStatus {
  let bytes = context.peerName
  // The caller's count of the room behind `name`.
  guard unsafe length.pointee >= bytes.count else { return errSecParam }
  for (index, byte) in bytes.enumerated() { unsafe name[index] = CChar(bitPattern: byte) }
  unsafe length.pointee = bytes.count
  return errSecSuccess
}
