internal import COpenSSL

// What OpenSSL's errors mean to people.

extension TLSEngine {
  /// Why the handshake failed.
  func brokenHandshake() -> TLSError {
    let peer = peerName.map { "\($0.text): " } ?? ""
    guard let entry = OpenSSLErrors.take() else {
      return .handshake("\(peer)the library gives no reason")
    }
    if entry.alert != nil { return .handshake("\(peer)the peer refused: \(entry.withoutPrefix)") }
    return .handshake("\(peer)\(entry.words)")
  }

  /// Why a record could not be read or written.
  func brokenRecord() -> TLSError {
    guard let entry = OpenSSLErrors.take() else {
      return .protocolViolation("the library gives no reason")
    }
    guard let alert = entry.alert else { return .protocolViolation(entry.words) }
    // In TLS 1.3 a client takes its handshake for done before the server has seen its
    // certificate: these come with the first record.
    return TLSEngine.certificateAlerts.contains(alert)
      ? .handshake("the peer refused the certificate: \(entry.withoutPrefix)")
      : .protocolViolation("the peer broke off: \(entry.withoutPrefix)")
  }

  private static let certificateAlerts: [Int32] = [
    SSL_AD_BAD_CERTIFICATE, SSL_AD_UNSUPPORTED_CERTIFICATE, SSL_AD_CERTIFICATE_REVOKED,
    SSL_AD_CERTIFICATE_EXPIRED, SSL_AD_CERTIFICATE_UNKNOWN, SSL_AD_UNKNOWN_CA,
    SSL_AD_ACCESS_DENIED, SSL_AD_CERTIFICATE_REQUIRED,
  ]
}

extension OpenSSLErrors.Entry {
  /// An alert's words without the version that OpenSSL puts before them.
  var withoutPrefix: String {
    guard let range = words.firstRange(of: " alert ") else { return words }
    return String(words[range.upperBound...])
  }
}
