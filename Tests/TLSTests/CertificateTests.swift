import TLS
import TestSupport
import Testing

@Suite("Certificates and keys")
struct CertificateTests {
  let authority = TestAuthority(name: "Root")

  @Test("a certificate tells its names and times")
  func certificateTellsItsNames() throws {
    let made = authority.server(["www.example.org", "10.0.0.1", "2001:db8::1"])
    let certificate = try Certificate(der: made.der)
    #expect(certificate.subjectSummary == "www.example.org")
    #expect(certificate.issuer == "CN = Root")
    #expect(certificate.names == ["www.example.org", "10.0.0.1", "2001:db8::1"])
    #expect(certificate.notAfter - certificate.notBefore == 90_000)
    #expect(certificate.publicKeySizeInBits == 256)
    #expect(try Certificate.load(pem: made.certificatePEM) == [certificate])
    #expect(certificate != (try Certificate(der: authority.certificate.der)))
  }

  @Test("words that are no plain text are shown without harm")
  func hostileWordsAreHarmless() throws {
    let made = authority.issue(.init(name: "two\nlines\u{1b}[31m ü"))
    let certificate = try Certificate(der: made.der)
    let texts = certificate.subject + certificate.subjectSummary
    #expect(texts.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7f })
    #expect(certificate.subjectSummary.contains("ü"))
  }

  @Test("every cut and every changed byte of a certificate is refused or read, never worse")
  func brokenCertificatesAreRefused() throws {
    let der = authority.server().der
    for count in 0..<der.count {
      #expect(throws: TLSError.self) { try Certificate(der: Array(der[..<count])) }
    }
    #expect(throws: TLSError.self) { try Certificate(der: der + [0]) }
    var random = Seeded(3)
    for place in der.indices {
      var changed = der
      changed[place] ^= UInt8.random(in: 1...255, using: &random)
      guard let certificate = try? Certificate(der: changed) else { continue }
      _ = (certificate.names, certificate.subject, certificate.issuer, certificate.notAfter)
    }
  }

  @Test("a PEM text with a broken certificate is refused as a whole")
  func brokenPEMIsRefused() throws {
    let good = authority.certificatePEM
    #expect(try Certificate.load(pem: good + "words between\n" + good).count == 2)
    let cut = good.dropLast(60)
    for text in ["", "words", good + cut, String(cut)] {
      #expect(throws: TLSError.self) { try Certificate.load(pem: text) }
    }
  }

  @Test("keys are read from every form, and fit only their certificate")
  func keysAreReadFromEveryForm() throws {
    let made = authority.server()
    let certificates = try Certificate.load(pem: made.chainPEM)
    for key in [try PrivateKey(pem: made.keyPEM), try PrivateKey(der: made.keyDER)] {
      #expect(key.algorithm == "EC")
      #expect(key.sizeInBits == 256)
      #expect(try Identity(certificates: certificates, key: key).certificates == certificates)
    }
    let other = try PrivateKey(pem: authority.server().keyPEM)
    #expect(
      throws: TLSError.configuration("the private key is not that of the certificate “localhost”")
    ) {
      try Identity(certificates: certificates, key: other)
    }
    #expect(throws: TLSError.self) { try PrivateKey(pem: made.certificatePEM) }
    #expect(throws: TLSError.self) { try PrivateKey(der: []) }
  }

  @Test("PKCS #12 gives the chain in order")
  func pkcs12GivesTheChain() throws {
    let middle = TestAuthority(name: "Middle", signedBy: authority)
    let made = middle.server()
    let identity = try Identity(pkcs12: made.pkcs12(password: "open"), password: "open")
    #expect(identity.certificates.map(\.der) == made.chainDER)
    #expect(throws: TLSError.self) {
      try Identity(pkcs12: made.pkcs12(password: "open"), password: "shut")
    }
    #expect(throws: TLSError.self) { try Identity(pkcs12: [1, 2, 3], password: "") }
  }
}
