/// An X.509 certificate. Two are equal when their bytes are.
public struct Certificate: Hashable, Sendable {
  /// The encoded certificate.
  public let der: [UInt8]
  let handle: CertificateHandle

  /// Reads one certificate, and nothing behind it.
  public init(der: [UInt8]) throws(TLSError) {
    handle = try CertificateHandle(der: der)
    self.der = der
  }

  init(_ handle: CertificateHandle) {
    self.handle = handle
    der = handle.der
  }

  /// The certificates of a PEM text, in its order; throws when there is none.
  public static func load(pem: String) throws(TLSError) -> [Certificate] {
    let handles = try CertificateHandle.list(pem: Array(pem.utf8))
    guard !handles.isEmpty else { throw .configuration("the text holds no PEM certificate") }
    return handles.map { Certificate($0) }
  }

  /// The certificates of a PEM file, in its order; throws when there is none.
  public static func load(pemFile path: String) throws(TLSError) -> [Certificate] {
    let handles = try CertificateHandle.list(pem: try SmallFile.read(path))
    guard !handles.isEmpty else { throw .configuration("\(path) holds no PEM certificate") }
    return handles.map { Certificate($0) }
  }

  /// The common name, else the organisation, else the host, else the whole subject.
  public var subjectSummary: String {
    let summary = handle.summary
    return summary.isEmpty ? names.first ?? subject : summary
  }

  /// The whole subject on one line.
  public var subject: String { handle.subject }
  /// The whole name of who signed it, on one line.
  public var issuer: String { handle.issuer }
  /// The host names and addresses that it is for.
  public var names: [String] { handle.hosts }
  /// When it begins to be valid, in seconds since 1970.
  public var notBefore: Int64 { handle.notBefore }
  /// When it is no longer valid, in seconds since 1970.
  public var notAfter: Int64 { handle.notAfter }
  /// The serial number in hexadecimal digits.
  public var serialNumber: String { handle.serialNumber }
  /// The public key: PKCS #1 for RSA, the point of X9.63 for elliptic curves.
  public var publicKey: [UInt8] { handle.publicKey }
  /// The size of the public key in bits; 0 when its kind is unknown.
  public var publicKeySizeInBits: Int { handle.publicKeySize }

  /// Equal bytes.
  public static func == (one: Certificate, other: Certificate) -> Bool { one.der == other.der }

  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) { hasher.combine(der) }
}

extension Certificate: CustomStringConvertible {
  /// The subject's summary.
  public var description: String { subjectSummary }
}
