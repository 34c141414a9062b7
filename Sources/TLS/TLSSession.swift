/// What two sides agreed on.
public struct TLSSession: Hashable, Sendable {
  /// The version.
  public let version: TLSVersion
  /// The cipher suite in OpenSSL's name.
  public let cipherSuite: String
  /// The application protocol, when both sides have one in common.
  public let applicationProtocol: String?
  /// Whether an earlier session was taken up, without new certificates.
  public let isResumed: Bool
  /// The peer's chain, its own certificate first; empty when it gave none.
  public let peerCertificates: [Certificate]
}
