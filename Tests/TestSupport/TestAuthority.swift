/// An authority for tests: it signs certificates with keys of its own, in memory.
///
///     let authority = TestAuthority()
///     let server = authority.issue(TestCertificate.Request(hosts: ["localhost", "127.0.0.1"]))
///     // authority.certificatePEM is the anchor; server.chainPEM and server.keyPEM the identity.
public final class TestAuthority: Sendable {
  /// The authority's own certificate.
  public let certificate: TestCertificate
  /// The authorities between this one and the one that signs itself, this one first.
  private let above: [TestCertificate]

  /// Makes an authority that signs itself, or one that `issuer` vouches for.
  public init(name: String = "Adit Test Authority", signedBy issuer: TestAuthority? = nil) {
    var request = TestCertificate.Request(name: name)
    request.purpose = .authority
    certificate = CertificateMaker.make(request, signedBy: issuer?.certificate)
    above = issuer.map { $0.isRoot ? [] : $0.path } ?? []
    isRoot = issuer == nil
  }

  private let isRoot: Bool
  private var path: [TestCertificate] { isRoot ? [] : [certificate] + above }

  /// The authority's certificate in PEM: the anchor of a root.
  public var certificatePEM: String { certificate.certificatePEM }

  /// Signs a certificate.
  public func issue(_ request: TestCertificate.Request) -> TestCertificate {
    CertificateMaker.make(request, signedBy: certificate, above: path)
  }

  /// A server's certificate for these hosts.
  public func server(_ hosts: [String] = ["localhost", "127.0.0.1", "::1"]) -> TestCertificate {
    issue(TestCertificate.Request(name: hosts.first ?? "server", hosts: hosts))
  }

  /// A client's certificate.
  public func client(_ name: String = "client") -> TestCertificate {
    var request = TestCertificate.Request(name: name)
    request.purpose = .client
    return issue(request)
  }

  /// A server's certificate whose time is over.
  public func expiredServer(_ hosts: [String] = ["localhost"]) -> TestCertificate {
    var request = TestCertificate.Request(name: hosts.first ?? "server", hosts: hosts)
    request.validity = .over
    return issue(request)
  }
}

/// A certificate with its key.
public struct TestCertificate: Sendable {
  /// What is wanted of a certificate.
  public struct Request: Sendable {
    /// What a certificate is good for.
    public enum Purpose: Sendable {
      /// Signing others.
      case authority
      /// Serving.
      case server
      /// Being served.
      case client
    }

    /// When a certificate is valid.
    public enum Validity: Sendable {
      /// From an hour ago for a day.
      case now
      /// It was until an hour ago.
      case over
      /// It will be from in an hour on.
      case later
    }

    /// The kind of key.
    public enum Key: Sendable {
      /// P-256, made in no time.
      case ellipticCurve
      /// RSA with 2048 bits, made in a tenth of a second or more.
      case rsa
    }

    /// The common name.
    public var name: String
    /// The DNS names and addresses.
    public var hosts: [String]
    /// What it is good for.
    public var purpose = Purpose.server
    /// When it is valid.
    public var validity = Validity.now
    /// The kind of key.
    public var key = Key.ellipticCurve

    /// Asks for a server's certificate that is valid now.
    public init(name: String = "localhost", hosts: [String] = []) {
      self.name = name
      self.hosts = hosts
    }
  }

  /// The certificate in DER.
  public let der: [UInt8]
  /// The key in DER, PKCS #8.
  public let keyDER: [UInt8]
  /// The certificate alone in PEM.
  public let certificatePEM: String
  /// The certificate and the authorities between it and the root, in PEM.
  public let chainPEM: String
  /// The key in PEM, PKCS #8.
  public let keyPEM: String
  /// The certificates of `chainPEM` in DER.
  public let chainDER: [[UInt8]]

  /// The files that programs and users of PEM files want: the chain and the key.
  public func write(
    to folder: TemporaryFolder, name: String = "server"
  ) throws -> (chain: String, key: String) {
    (
      try folder.write(chainPEM, to: "\(name).pem"), try folder.write(keyPEM, to: "\(name).key")
    )
  }

  /// Certificate, chain and key as PKCS #12.
  public func pkcs12(password: String) -> [UInt8] {
    CertificateMaker.pkcs12(self, password: password)
  }
}
