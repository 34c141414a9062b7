public import Foundation
public import TLS

/// An X.509 certificate.
public final class SecCertificate: Hashable, Sendable {
  package let certificate: Certificate

  package init(_ certificate: Certificate) {
    self.certificate = certificate
  }

  /// The certificates of a PEM file, in its order. Darwin has no such call.
  public static func certificates(pemFile path: String) throws(TLSError) -> [SecCertificate] {
    try Certificate.load(pemFile: path).map { SecCertificate($0) }
  }

  /// Equal bytes.
  public static func == (one: SecCertificate, other: SecCertificate) -> Bool {
    one.certificate == other.certificate
  }

  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) { hasher.combine(certificate) }
}

/// Reads a certificate in DER; nil when it is none.
public func SecCertificateCreateWithData(
  _ allocator: CFAllocator?, _ data: CFData
) -> SecCertificate? {
  guard let certificate = try? Certificate(der: Array(data as Data)) else { return nil }
  return SecCertificate(certificate)
}

/// The certificate in DER.
public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData {
  Data(certificate.certificate.der) as CFData
}

/// A text for people.
public func SecCertificateCopySubjectSummary(_ certificate: SecCertificate) -> CFString? {
  certificate.certificate.subjectSummary as CFString
}

/// The certificate's public key.
public func SecCertificateCopyKey(_ certificate: SecCertificate) -> SecKey? {
  SecKey(.ofCertificate(certificate.certificate))
}

/// The serial number's bytes.
public func SecCertificateCopySerialNumberData(
  _ certificate: SecCertificate, _ error: UnsafeMutablePointer<CFError?>?
) -> CFData? {
  let digits = Array(certificate.certificate.serialNumber.utf8)
  let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap { index in
    UInt8(String(decoding: digits[index...(index + 1)], as: UTF8.self), radix: 16)
  }
  return Data(bytes) as CFData
}
