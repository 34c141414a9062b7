/// Who one side is: a chain of certificates and the key of the first.
public struct Identity: Sendable {
  /// The chain, the owner's certificate first.
  public let certificates: [Certificate]
  /// The key of the first certificate.
  public let key: PrivateKey

  /// Puts together a chain and its key; throws when they do not fit.
  public init(certificates: [Certificate], key: PrivateKey) throws(TLSError) {
    guard let leaf = certificates.first else {
      throw .configuration("an identity needs a certificate")
    }
    guard key.fits(leaf) else {
      throw .configuration("the private key is not that of the certificate “\(leaf)”")
    }
    self.certificates = certificates
    self.key = key
  }

  /// Reads PKCS #12.
  public init(pkcs12: [UInt8], password: String) throws(TLSError) {
    let parts = try PKCS12Parts(pkcs12, password: password)
    guard let leaf = parts.certificate, let key = parts.key else {
      throw .configuration("the PKCS #12 file holds no key with its certificate")
    }
    try self.init(
      certificates: Identity.chain(from: leaf, among: parts.others), key: key)
  }

  /// Reads the chain from one PEM file and the key from another, or from the same when none is
  /// named.
  public init(pemFile: String, keyFile: String? = nil, password: String? = nil) throws(TLSError) {
    try self.init(
      certificates: try Certificate.load(pemFile: pemFile),
      key: try PrivateKey(pemFile: keyFile ?? pemFile, password: password))
  }

  /// Reads the chain and the key from PEM texts.
  public init(pem: String, keyPEM: String, password: String? = nil) throws(TLSError) {
    try self.init(
      certificates: try Certificate.load(pem: pem),
      key: try PrivateKey(pem: keyPEM, password: password))
  }

  /// Puts certificates that came in any order behind the one they vouch for.
  private static func chain(
    from leaf: Certificate, among others: [Certificate]
  ) -> [Certificate] {
    var chain = [leaf]
    var left = others.filter { $0 != leaf }
    while let last = chain.last, last.issuer != last.subject,
      let next = left.firstIndex(where: { $0.subject == last.issuer })
    {
      chain.append(left.remove(at: next))
    }
    return chain
  }
}
