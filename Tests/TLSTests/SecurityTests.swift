import Foundation
import Kernel
import Security
import TLS
import TestSupport
import Testing

@Suite("Darwin's names for certificates and trust")
struct SecurityTests {
  let authority = TestAuthority()

  private func certificate(_ der: [UInt8]) throws -> SecCertificate {
    try #require(SecCertificateCreateWithData(nil, Data(der) as CFData))
  }

  private func trust(
    _ chain: [[UInt8]], _ policy: SecPolicy
  ) throws -> SecTrust {
    var trust: SecTrust?
    let certificates = try chain.map { try certificate($0) }
    #expect(
      unsafe SecTrustCreateWithCertificates(certificates as CFArray, policy, &trust)
        == errSecSuccess)
    return try #require(trust)
  }

  /// As delegates ask who do not care why.
  private func isTrusted(_ trust: SecTrust) -> Bool { SecTrustEvaluateWithError(trust, nil) }

  private func keyBytes(of key: SecKey) -> CFData? { SecKeyCopyExternalRepresentation(key, nil) }

  private func anchored(_ trust: SecTrust) throws {
    let anchors = [try certificate(authority.certificate.der)]
    #expect(SecTrustSetAnchorCertificates(trust, anchors as CFArray) == errSecSuccess)
  }

  @Test("a certificate goes in and comes out as it was")
  func certificatesGoThrough() throws {
    let made = authority.server()
    let certificate = try certificate(made.der)
    #expect(Array(SecCertificateCopyData(certificate) as Data) == made.der)
    #expect(SecCertificateCopySubjectSummary(certificate) as String? == "localhost")
    #expect(try self.certificate(made.der) == certificate)
    #expect(SecCertificateCreateWithData(nil, Data([1, 2, 3]) as CFData) == nil)
    #expect(
      SecCertificateCreateWithData(kCFAllocatorDefault, Data(made.der + [0]) as CFData) == nil)
  }

  @Test("a chain is trusted by its anchor, for its name and at its time")
  func chainIsEvaluated() throws {
    let made = authority.server()
    let trust = try trust([made.der], SecPolicyCreateSSL(true, "localhost" as CFString))
    var error: CFError?
    #expect(unsafe !SecTrustEvaluateWithError(trust, &error))
    #expect(error?.code == Int(errSecNotTrusted))
    try anchored(trust)
    #expect(unsafe SecTrustEvaluateWithError(trust, &error))
    #expect(error == nil)
    #expect(isTrusted(trust))
    let late = NSDate(timeIntervalSinceNow: 10 * 86_400)
    #expect(SecTrustSetVerifyDate(trust, late) == errSecSuccess)
    #expect(unsafe !SecTrustEvaluateWithError(trust, &error))
    #expect(error?.code == Int(errSecCertificateExpired))
    #expect(SecTrustSetAnchorCertificates(trust, nil) == errSecSuccess)
    #expect(SecTrustSetAnchorCertificatesOnly(trust, true) == errSecSuccess)
  }

  @Test("another name is told apart, and policies can be changed")
  func otherNameIsToldApart() throws {
    let trust = try trust(
      [authority.server().der], SecPolicyCreateSSL(true, "example.org" as CFString))
    try anchored(trust)
    var error: CFError?
    #expect(unsafe !SecTrustEvaluateWithError(trust, &error))
    #expect(error?.code == Int(errSecHostNameMismatch))
    #expect(error?.localizedDescription.contains("not for example.org") == true)
    #expect(SecTrustSetPolicies(trust, SecPolicyCreateBasicX509()) == errSecSuccess)
    #expect(isTrusted(trust))
    let both = [SecPolicyCreateBasicX509(), SecPolicyCreateSSL(false, nil)]
    #expect(SecTrustSetPolicies(trust, both as CFArray) == errSecSuccess)
    #expect(unsafe !SecTrustEvaluateWithError(trust, &error))
    #expect(SecTrustSetPolicies(trust, [] as CFArray) == errSecParam)
  }

  @Test("the old form of evaluation tells the same")
  func oldFormTellsTheSame() throws {
    let trust = try trust([authority.client().der], SecPolicyCreateSSL(false, nil))
    var result = SecTrustResultType.otherError
    #expect(unsafe SecTrustGetTrustResult(trust, &result) == errSecSuccess)
    #expect(result == .invalid)
    #expect(unsafe SecTrustEvaluate(trust, &result) == errSecSuccess)
    #expect(result == .recoverableTrustFailure)
    try anchored(trust)
    #expect(unsafe SecTrustEvaluate(trust, &result) == errSecSuccess)
    #expect(result == .unspecified)
    #expect(unsafe SecTrustGetTrustResult(trust, &result) == errSecSuccess)
    #expect(result == .unspecified)
  }

  @Test("evaluation on a queue calls back there")
  func evaluationOnAQueue() async throws {
    let trust = try trust([authority.server().der], SecPolicyCreateSSL(true, nil))
    try anchored(trust)
    let isTrusted = await withCheckedContinuation { continuation in
      _ = SecTrustEvaluateAsyncWithError(trust, .global()) { _, isTrusted, _ in
        continuation.resume(returning: isTrusted)
      }
    }
    #expect(isTrusted)
  }

  @Test("the chain and the key can be looked at, for pinning")
  func chainCanBeLookedAt() throws {
    let middle = TestAuthority(name: "Middle", signedBy: authority)
    let made = middle.server()
    let trust = try trust(made.chainDER, SecPolicyCreateSSL(true, nil))
    #expect(SecTrustGetCertificateCount(trust) == 2)
    try anchored(trust)
    #expect(isTrusted(trust))
    #expect(SecTrustGetCertificateCount(trust) == 3)
    let chain = try #require(SecTrustCopyCertificateChain(trust) as? [SecCertificate])
    #expect(
      chain.map { Array(SecCertificateCopyData($0) as Data) }
        == made.chainDER + [authority.certificate.der])
    #expect(SecTrustGetCertificateAtIndex(trust, 1) == chain[1])
    #expect(SecTrustGetCertificateAtIndex(trust, 3) == nil)
    let key = try #require(SecTrustCopyKey(trust))
    #expect(key == SecCertificateCopyKey(chain[0]))
    let bytes = try #require(keyBytes(of: key)) as Data
    // A point of P-256 that is not compressed.
    #expect(bytes.count == 65 && bytes.first == 4)
  }

  @Test("an identity comes out of PKCS #12 with its chain")
  func identityComesOutOfPKCS12() throws {
    let middle = TestAuthority(name: "Middle", signedBy: authority)
    let made = middle.client("somebody")
    let file = Data(made.pkcs12(password: "open"))
    var items: CFArray?
    let options = [kSecImportExportPassphrase as String: "open"]
    #expect(
      unsafe SecPKCS12Import(file as CFData, options as CFDictionary, &items) == errSecSuccess)
    let item = try #require((items as? [[String: Any]])?.first)
    let identity = try #require(item[kSecImportItemIdentity as String] as? SecIdentity)
    let chain = try #require(item[kSecImportItemCertChain as String] as? [SecCertificate])
    #expect(chain.map { Array(SecCertificateCopyData($0) as Data) } == made.chainDER)
    #expect(item[kSecImportItemTrust as String] is SecTrust)
    var certificate: SecCertificate?
    #expect(unsafe SecIdentityCopyCertificate(identity, &certificate) == errSecSuccess)
    #expect(certificate == chain.first)
    var key: SecKey?
    #expect(unsafe SecIdentityCopyPrivateKey(identity, &key) == errSecSuccess)
    #expect(keyBytes(of: try #require(key)) == nil)
  }

  @Test("a wrong password and a broken file are told apart")
  func wrongPasswordIsToldApart() throws {
    let file = authority.client().pkcs12(password: "open")
    var items: CFArray?
    let wrong = [kSecImportExportPassphrase as String: "shut"]
    #expect(
      unsafe SecPKCS12Import(Data(file) as CFData, wrong as CFDictionary, &items)
        == errSecAuthFailed)
    #expect(
      unsafe SecPKCS12Import(Data(file.prefix(20)) as CFData, wrong as CFDictionary, &items)
        == errSecDecode)
    #expect(items == nil)
  }

  @Test("an identity is read from PEM files")
  func identityIsReadFromFiles() throws {
    let folder = try TemporaryFolder()
    let files = try authority.server().write(to: folder)
    _ = try SecIdentity(pemFile: files.chain, keyFile: files.key)
    let other = try authority.server().write(to: folder, name: "other")
    #expect(throws: TLSError.self) {
      try SecIdentity(pemFile: files.chain, keyFile: other.key)
    }
    #expect(throws: TLSError.self) { try SecIdentity(pemFile: folder.file("none.pem")) }
  }
}
