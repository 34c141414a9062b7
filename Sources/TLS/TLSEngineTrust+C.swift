internal import COpenSSL

// How the engine makes up its mind about the peer, or asks.
//
// A client stops where OpenSSL verifies the server: it asks to be asked again. OpenSSL 3.0 has no
// such stop for a server, so there it goes on as if the client were trusted while all that it
// writes from then on is held back. The owner's yes lets it go; the owner's no puts the alert in
// its place that OpenSSL would have sent.

extension TLSEngine {
  static let ownersRefusal = "it was refused by the connection's owner"

  /// The peer's chain and what is to be thought of it.
  public var peer: PeerTrust {
    if let shown { return shown }
    let isServer = !context.configuration.isServer
    let hostName = checkedName?.text
    let question = ChainQuestion(
      certificates: peerCertificates, anchors: context.configuration.anchors,
      purpose: isServer ? .server(hostName: hostName) : .client)
    return PeerTrust(
      certificates: question.certificates, hostName: hostName, isServer: isServer,
      verdict: question.verdict)
  }

  private var checkedName: PeerName? {
    context.configuration.checksHostName ? peerName : nil
  }

  var peerCertificates: [Certificate] {
    if let shown { return shown.certificates }
    var chain = unsafe CertificateStack.certificates(of: SSL_get_peer_cert_chain(ssl))
    if let own = unsafe SSL_get1_peer_certificate(ssl) {
      let leaf = unsafe Certificate(CertificateHandle(owning: own))
      // A server's view of the chain begins behind the client's own certificate.
      if chain.first != leaf { chain.insert(leaf, at: 0) }
    }
    return chain
  }

  /// Called while OpenSSL has a chain to verify: whether it may go on.
  func verify(_ verification: OpaquePointer) -> Bool {
    if case .given(let isTrusted) = decision {
      unsafe X509_STORE_CTX_set_error(
        verification, isTrusted ? X509_V_OK : X509_V_ERR_CERT_REJECTED)
      if !isTrusted { refusal = .untrusted(TLSEngine.ownersRefusal) }
      return isTrusted
    }
    let answer = unsafe look(at: verification)
    guard context.configuration.decidesTrust else {
      guard case .untrusted(let reason) = answer.verdict else { return true }
      refusal = .untrusted(reason)
      unsafe X509_STORE_CTX_set_error(verification, answer.code)
      return false
    }
    decision = .asked
    unsafe X509_STORE_CTX_set_error(verification, X509_V_OK)
    if context.configuration.isServer {
      releasedOutput = Int(unsafe BIO_ctrl_pending(output))
    } else {
      unsafe adit_ssl_retry_verify(ssl)
    }
    return true
  }

  /// Notes the chain and what OpenSSL says of it.
  private func look(at verification: OpaquePointer) -> (verdict: TrustVerdict, code: Int32) {
    guard let first = unsafe X509_STORE_CTX_get0_cert(verification) else {
      return (.untrusted("there is no certificate"), Int32(X509_V_ERR_UNSPECIFIED))
    }
    let leaf = unsafe Certificate(CertificateHandle(sharing: first))
    var chain = unsafe CertificateStack.certificates(
      of: X509_STORE_CTX_get0_untrusted(verification))
    if chain.first != leaf { chain.insert(leaf, at: 0) }
    let answer = unsafe ChainAnswer.run(verification, leaf, checkedName)
    shown = PeerTrust(
      certificates: chain, hostName: checkedName?.text,
      isServer: !context.configuration.isServer, verdict: answer.verdict)
    return answer
  }

  // MARK: A server's answer that comes late

  /// The client is trusted: what was held back goes.
  func releaseOutput() {
    releasedOutput = nil
    forgetSecret()
    guard unsafe SSL_version(ssl) == TLSVersion.v1_3.wireNumber else { return }
    // The tickets that were not given before the answer, as many as OpenSSL gives by itself.
    OpenSSLErrors.clear()
    unsafe SSL_new_session_ticket(ssl)
    unsafe SSL_new_session_ticket(ssl)
    unsafe SSL_do_handshake(ssl)
    OpenSSLErrors.clear()
  }

  /// The client is not trusted: an alert takes the place of what was held back.
  func refuseClient() {
    var kept = [UInt8](repeating: 0, count: pendingOutput)
    if !kept.isEmpty { unsafe BIO_read(output, &kept, Int32(kept.count)) }
    unsafe BIO_ctrl(output, BIO_CTRL_RESET, 0, nil)
    releasedOutput = nil
    kept += refusalRecord()
    if !kept.isEmpty { unsafe BIO_write(output, kept, Int32(kept.count)) }
    forgetSecret()
  }

  /// A fatal `bad_certificate` as the next record of this side.
  private func refusalRecord() -> [UInt8] {
    let alert = UInt8(SSL_AD_BAD_CERTIFICATE)
    let version = unsafe SSL_version(ssl)
    guard version == TLSVersion.v1_3.wireNumber else {
      // Before its change of cipher, which was held back, a server writes in the clear.
      let (major, minor) = (UInt8(version >> 8 & 0xff), UInt8(version & 0xff))
      return [UInt8(SSL3_RT_ALERT), major, minor, 0, 2, UInt8(SSL3_AL_FATAL), alert]
    }
    var record = [UInt8](repeating: 0, count: Int(ADIT_TLS13_ALERT_SIZE))
    let isSealed = unsafe adit_tls13_seal_alert(
      ssl, serverSecret, serverSecret.count, alert, &record)
    OpenSSLErrors.clear()
    return isSealed ? record : []
  }

  /// Takes the server's traffic secret out of a line of `NAME RANDOM SECRET`.
  func noteSecret(line: String) {
    let parts = line.split(separator: " ")
    guard parts.count == 3, parts[0] == "SERVER_TRAFFIC_SECRET_0" else { return }
    var digits = Array(parts[2].utf8)
    defer { wipe(&digits) }
    forgetSecret()
    serverSecret = stride(from: 0, to: digits.count - 1, by: 2).compactMap { index in
      UInt8(String(decoding: digits[index...(index + 1)], as: UTF8.self), radix: 16)
    }
  }

  func forgetSecret() {
    wipe(&serverSecret)
  }

  // MARK: Names and sessions

  /// Takes the identity for the name that a client asked for; false when there is none.
  func chooseIdentity(for name: String?) -> Bool {
    guard let name, let identity = context.identity(for: name),
      let leaf = identity.certificates.first
    else { return context.configuration.identity != nil }
    let chain = CertificateStack(identity.certificates.dropFirst())
    let isUsed = unsafe SSL_use_cert_and_key(
      ssl, leaf.handle.pointer, identity.key.pointer, chain.pointer, 1)
    return isUsed == 1
  }

  /// Takes over a session; false when nobody would take it up.
  func keep(_ session: OpaquePointer) -> Bool {
    guard let sessionKey else { return false }
    unsafe SessionCache.shared.add(SessionHandle(owning: session), for: sessionKey)
    return true
  }
}

extension TLSContext {
  /// The name that the peer must have, checked; nil for servers.
  func peerName(_ given: String?) throws(TLSError) -> PeerName? {
    guard !configuration.isServer else { return nil }
    guard let text = given ?? configuration.hostName else {
      guard !configuration.checksHostName || configuration.decidesTrust else {
        throw .configuration(
          "there is no host name to check the certificate for; name one, or do not check it")
      }
      return nil
    }
    guard let name = PeerName(text) else { throw .configuration("“\(text)” is no host's name") }
    return name
  }

  func sessionKey(_ name: PeerName?) -> SessionKey? {
    guard !configuration.isServer, let key = configuration.sessionKey else { return nil }
    return SessionKey(
      name: key, peer: name, anchors: configuration.anchors,
      checksHostName: configuration.checksHostName, decidesTrust: configuration.decidesTrust,
      minimumVersion: configuration.minimumVersion,
      applicationProtocols: configuration.applicationProtocols,
      identity: configuration.identity?.certificates.first)
  }
}
