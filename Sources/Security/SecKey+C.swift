public import Foundation
package import TLS

/// A public or private key.
public final class SecKey: Hashable, Sendable {
  /// Whose key it is.
  package enum Origin: Sendable {
    /// The public key of a certificate.
    case ofCertificate(Certificate)
    /// The private key of an identity.
    case ofIdentity(Identity)
  }

  package let origin: Origin

  package init(_ origin: Origin) {
    self.origin = origin
  }

  /// The certificate whose public key it is, or belongs to.
  private var certificate: Certificate? {
    switch origin {
    case .ofCertificate(let certificate): certificate
    case .ofIdentity(let identity): identity.certificates.first
    }
  }

  private var isPrivate: Bool {
    switch origin {
    case .ofCertificate: false
    case .ofIdentity: true
    }
  }

  fileprivate var publicBytes: [UInt8]? { isPrivate ? nil : certificate?.publicKey }

  /// The same key.
  public static func == (one: SecKey, other: SecKey) -> Bool {
    one.isPrivate == other.isPrivate && one.certificate?.publicKey == other.certificate?.publicKey
  }

  /// Hashes the public key.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(isPrivate)
    hasher.combine(certificate?.publicKey)
  }

  /// The public key of a private one.
  fileprivate var publicKey: SecKey? { certificate.map { SecKey(.ofCertificate($0)) } }
}

/// A public key's bytes: PKCS #1 for RSA, the point of X9.63 for elliptic curves. Private keys are
/// not given out.
public func SecKeyCopyExternalRepresentation(
  _ key: SecKey, _ error: UnsafeMutablePointer<CFError?>?
) -> CFData? {
  if let bytes = key.publicBytes { return Data(bytes) as CFData }
  // The caller's place for the error.
  unsafe error?.pointee = NSError(domain: NSOSStatusErrorDomain, code: Int(errSecUnimplemented))
  return nil
}

/// The public key that belongs to a key.
public func SecKeyCopyPublicKey(_ key: SecKey) -> SecKey? { key.publicKey }
