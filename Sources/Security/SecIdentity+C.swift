public import Foundation
public import TLS

/// A chain of certificates with the key of the first.
public final class SecIdentity: Sendable {
  package let identity: Identity

  package init(_ identity: Identity) {
    self.identity = identity
  }

  /// Reads the chain from a PEM file and the key from another, or from the same when none is
  /// named. Darwin has no such call.
  public convenience init(
    pemFile: String, keyFile: String? = nil, password: String? = nil
  ) throws(TLSError) {
    self.init(try Identity(pemFile: pemFile, keyFile: keyFile, password: password))
  }
}

/// Gives the identity's certificate.
public func SecIdentityCopyCertificate(
  _ identity: SecIdentity, _ certificate: UnsafeMutablePointer<SecCertificate?>
) -> OSStatus {
  guard let leaf = identity.identity.certificates.first else { return errSecItemNotFound }
  // The caller's place for the answer.
  unsafe certificate.pointee = SecCertificate(leaf)
  return errSecSuccess
}

/// Gives the identity's private key.
public func SecIdentityCopyPrivateKey(
  _ identity: SecIdentity, _ key: UnsafeMutablePointer<SecKey?>
) -> OSStatus {
  // The caller's place for the answer.
  unsafe key.pointee = SecKey(.ofIdentity(identity.identity))
  return errSecSuccess
}

/// The key of the password in the options of `SecPKCS12Import`.
public var kSecImportExportPassphrase: CFString { "passphrase" as CFString }
/// The key of the identity in an item of `SecPKCS12Import`.
public var kSecImportItemIdentity: CFString { "identity" as CFString }
/// The key of the list of certificates in an item of `SecPKCS12Import`.
public var kSecImportItemCertChain: CFString { "chain" as CFString }
/// The key of the trust object in an item of `SecPKCS12Import`.
public var kSecImportItemTrust: CFString { "trust" as CFString }

/// Reads PKCS #12 into a list of one dictionary.
public func SecPKCS12Import(
  _ data: CFData, _ options: CFDictionary, _ items: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
  let word = options.object(forKey: kSecImportExportPassphrase)
  let password = (word as? String) ?? (word as? NSString).map { $0 as String } ?? ""
  let bytes = Array(data as Data)
  let identity: Identity
  do {
    identity = try Identity(pkcs12: bytes, password: password)
  } catch {
    return error.isAboutPassword ? errSecAuthFailed : errSecDecode
  }
  let chain = identity.certificates.map { SecCertificate($0) }
  let trust = SecTrust(certificates: identity.certificates, policies: [.init(.any)])
  let item: [String: Any] = [
    kSecImportItemIdentity as String: SecIdentity(identity),
    kSecImportItemCertChain as String: chain, kSecImportItemTrust as String: trust,
  ]
  // The caller's place for the answer.
  unsafe items.pointee = [item] as CFArray
  return errSecSuccess
}

extension TLSError {
  /// True when a wrong password is the reason.
  fileprivate var isAboutPassword: Bool { description.contains("mac verify failure") }
}
