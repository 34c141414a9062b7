/// Whose word is taken for a peer's certificate.
public enum TrustAnchors: Hashable, Sendable {
  /// The authorities that the system's administrator installed.
  case system
  /// These certificates and nobody else, whether they sign themselves or not.
  case certificates([Certificate])
  /// Nobody: every chain is untrusted unless the connection's owner decides otherwise.
  case none
}
