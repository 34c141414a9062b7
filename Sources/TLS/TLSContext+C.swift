internal import COpenSSL

/// What connections of one configuration share; made once, used by any number of engines.
///
/// The guard of the `@unchecked`: OpenSSL's context is not changed once it is made, and its count
/// is kept under a lock of OpenSSL's own.
@safe public final class TLSContext: @unchecked Sendable {
  /// What it was made of.
  public let configuration: TLSConfiguration
  /// ALPN's list as it stands on the wire.
  let protocolList: [UInt8]
  /// A server's identities by the name in lower case.
  let identities: [String: Identity]
  private let handle: ContextHandle

  var pointer: OpaquePointer { unsafe handle.pointer }

  /// Checks the configuration and prepares it.
  public init(_ configuration: TLSConfiguration) throws(TLSError) {
    self.configuration = configuration
    protocolList = try configuration.applicationProtocolList()
    identities = Dictionary(
      configuration.serverIdentities.map { ($0.key.lowercased(), $0.value) },
      uniquingKeysWith: { first, _ in first })
    OpenSSLErrors.clear()
    handle = try ContextHandle()
    try setVersions()
    try setIdentity()
    try setProtocols()
    setTrust()
    if configuration.isServer { setServer() } else { setClient() }
  }

  /// True when a server stops for its owner's answer about a client's certificate.
  var holdsForDecision: Bool {
    configuration.isServer && configuration.decidesTrust
      && configuration.asksForClientCertificate != .none
  }

  /// The identity for a name that a client asked for.
  func identity(for name: String) -> Identity? {
    let name = name.lowercased()
    if let exact = identities[name] { return exact }
    guard let dot = name.firstIndex(of: ".") else { return nil }
    return identities["*\(name[dot...])"]
  }
}

/// The owner of OpenSSL's context.
@safe private final class ContextHandle {
  let pointer: OpaquePointer

  init() throws(TLSError) {
    guard let made = unsafe SSL_CTX_new(TLS_method()) else {
      throw .configuration(OpenSSLErrors.words(otherwise: "no context"))
    }
    unsafe pointer = made
  }

  deinit { unsafe SSL_CTX_free(pointer) }
}

extension TLSContext {
  private func setVersions() throws(TLSError) {
    let suites = CipherSuites(configuration.cipherSuites)
    let (least, greatest) = try configuration.versions(suites)
    // The broken versions need hashes that the usual level forbids.
    if least < .v1_2 { unsafe SSL_CTX_set_security_level(pointer, 0) }
    guard unsafe adit_ssl_ctx_set_versions(pointer, least.wireNumber, greatest.wireNumber) else {
      throw .configuration("\(least) to \(greatest): the library refuses these versions")
    }
    var classic: [String] = []
    for name in suites.classic {
      // The text is a constant of the library, or says that it does not know the name.
      let known = unsafe String(cString: OPENSSL_cipher_name(name))
      let own = name.contains("_WITH_") ? known : name
      guard unsafe SSL_CTX_set_cipher_list(pointer, own) == 1 else {
        throw .configuration("there is no cipher suite “\(name)”")
      }
      classic.append(own)
    }
    if !classic.isEmpty {
      unsafe SSL_CTX_set_cipher_list(pointer, classic.joined(separator: ":"))
    }
    for list in suites.modern.map({ [$0] }) + [suites.modern] where !list.isEmpty {
      guard unsafe SSL_CTX_set_ciphersuites(pointer, list.joined(separator: ":")) == 1 else {
        throw .configuration("there is no cipher suite “\(list.joined(separator: ":"))”")
      }
    }
    OpenSSLErrors.clear()
  }

  private func setIdentity() throws(TLSError) {
    guard let identity = configuration.identity, let leaf = identity.certificates.first else {
      guard !configuration.isServer || !identities.isEmpty else {
        throw .configuration("a server needs an identity: a certificate and its key")
      }
      return
    }
    let chain = CertificateStack(identity.certificates.dropFirst())
    let isUsed = unsafe SSL_CTX_use_cert_and_key(
      pointer, leaf.handle.pointer, identity.key.pointer, chain.pointer, 1)
    guard isUsed == 1 else {
      throw .configuration("“\(leaf)” cannot be used: \(OpenSSLErrors.words(otherwise: "refused"))")
    }
  }

  private func setProtocols() throws(TLSError) {
    guard !protocolList.isEmpty else { return }
    guard !configuration.isServer else {
      unsafe SSL_CTX_set_alpn_select_cb(pointer, TLSCallbacks.selectProtocol, nil)
      return
    }
    // This one function returns 0 when all is well.
    let failure = unsafe SSL_CTX_set_alpn_protos(
      pointer, protocolList, UInt32(protocolList.count))
    guard failure == 0 else { throw .configuration("the application protocols are refused") }
  }

  private func setTrust() {
    let store = AnchorStore(configuration.anchors)
    unsafe SSL_CTX_set_cert_store(pointer, store.shared())
    unsafe SSL_CTX_set_cert_verify_callback(pointer, TLSCallbacks.verify, nil)
    var mode = SSL_VERIFY_NONE
    if configuration.isServer {
      switch configuration.asksForClientCertificate {
      case .none: break
      case .optional: mode = SSL_VERIFY_PEER
      case .required: mode = SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT
      }
    } else {
      mode = SSL_VERIFY_PEER
    }
    unsafe SSL_CTX_set_verify(pointer, mode, nil)
  }

  private func setClient() {
    let keepsSessions = configuration.sessionKey != nil
    unsafe adit_ssl_ctx_set_defaults(pointer, keepsSessions)
    if keepsSessions { unsafe SSL_CTX_sess_set_new_cb(pointer, TLSCallbacks.keepSession) }
  }

  private func setServer() {
    // Sessions live in tickets that only this context can read.
    unsafe adit_ssl_ctx_set_defaults(pointer, false)
    let name = Array("adit".utf8)
    unsafe SSL_CTX_set_session_id_context(pointer, name, UInt32(name.count))
    if !identities.isEmpty {
      unsafe adit_ssl_ctx_set_name_callback(pointer, TLSCallbacks.chooseIdentity, nil)
    }
    if configuration.asksForClientCertificate != .none,
      case .certificates(let anchors) = configuration.anchors
    {
      for anchor in anchors { unsafe SSL_CTX_add_client_CA(pointer, anchor.handle.pointer) }
    }
    guard holdsForDecision else { return }
    // No ticket before the answer: who has one is not asked for a certificate again.
    unsafe SSL_CTX_set_num_tickets(pointer, 0)
    unsafe SSL_CTX_set_keylog_callback(pointer, TLSCallbacks.noteSecret)
  }
}
