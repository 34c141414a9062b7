internal import COpenSSL

/// The certificates that verification ends at.
@safe struct AnchorStore: ~Copyable {
  let pointer: OpaquePointer

  init(_ anchors: TrustAnchors, alsoSystem: Bool = false) {
    guard let store = unsafe X509_STORE_new() else { preconditionFailure("out of memory") }
    unsafe pointer = store
    switch anchors {
    case .none: break
    case .system: unsafe X509_STORE_set_default_paths(store)
    case .certificates(let certificates):
      for certificate in certificates {
        unsafe X509_STORE_add_cert(store, certificate.handle.pointer)
      }
      // An anchor is one by being named; that it signs itself is not asked.
      unsafe X509_STORE_set_flags(store, UInt(X509_V_FLAG_PARTIAL_CHAIN))
    }
    if alsoSystem { unsafe X509_STORE_set_default_paths(store) }
    OpenSSLErrors.clear()
  }

  deinit { unsafe X509_STORE_free(pointer) }

  /// Gives the store a second owner, which will free it.
  func shared() -> OpaquePointer {
    unsafe X509_STORE_up_ref(pointer)
    return unsafe pointer
  }
}

extension PeerName {
  /// Demands the name of the certificate that is verified.
  func demand(of parameters: OpaquePointer?) {
    let flags = X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT
    unsafe X509_VERIFY_PARAM_set_hostflags(parameters, UInt32(flags))
    let isSet =
      isAddress
      ? unsafe X509_VERIFY_PARAM_set1_ip_asc(parameters, text)
      : unsafe X509_VERIFY_PARAM_set1_host(parameters, text, text.utf8.count)
    precondition(isSet == 1, "a name that was read can be compared")
  }
}

extension ChainQuestion {
  /// Follows the chain.
  package func answer() -> ChainAnswer {
    guard let leaf = certificates.first else {
      return ChainAnswer(
        verdict: .untrusted("there is no certificate"), fault: .other, chain: [])
    }
    guard let context = unsafe X509_STORE_CTX_new() else { preconditionFailure("out of memory") }
    defer { unsafe X509_STORE_CTX_free(context) }
    let store = AnchorStore(anchors, alsoSystem: alsoTrustsSystem)
    let stack = CertificateStack(certificates.dropFirst())
    // The store and the stack live until the context is freed: they are used below.
    unsafe X509_STORE_CTX_init(context, store.pointer, leaf.handle.pointer, stack.pointer)
    let parameters = unsafe X509_STORE_CTX_get0_param(context)
    var asked: PeerName?
    switch purpose {
    case .any: break
    case .client: unsafe X509_STORE_CTX_set_default(context, "ssl_client")
    case .server(let hostName):
      unsafe X509_STORE_CTX_set_default(context, "ssl_server")
      if let hostName {
        guard let name = PeerName(hostName) else {
          return ChainAnswer(
            verdict: .untrusted("“\(hostName)” is no host's name"),
            fault: .otherHost, chain: certificates)
        }
        asked = name
        unsafe name.demand(of: parameters)
      }
    }
    if let seconds { unsafe X509_VERIFY_PARAM_set_time(parameters, Int(seconds)) }
    let verdict = unsafe ChainAnswer.run(context, leaf, asked)
    let chain = unsafe CertificateStack.certificates(of: X509_STORE_CTX_get0_chain(context))
    withExtendedLifetime(store) {}
    withExtendedLifetime(stack) {}
    let fault = ChainFault(code: verdict.code)
    return ChainAnswer(verdict: verdict.verdict, fault: fault, chain: chain)
  }
}

extension ChainAnswer {
  /// Lets OpenSSL verify, and puts its answer in words.
  static func run(
    _ context: OpaquePointer, _ leaf: Certificate, _ name: PeerName?
  ) -> (verdict: TrustVerdict, code: Int32) {
    OpenSSLErrors.clear()
    let result = unsafe X509_verify_cert(context)
    OpenSSLErrors.clear()
    var code = unsafe X509_STORE_CTX_get_error(context)
    if result == 1 { return (.trusted, Int32(X509_V_OK)) }
    if code == X509_V_OK { code = Int32(X509_V_ERR_UNSPECIFIED) }
    let depth = unsafe X509_STORE_CTX_get_error_depth(context)
    let culprit = unsafe X509_STORE_CTX_get_current_cert(context).map { found in
      unsafe Certificate(CertificateHandle(sharing: found))
    }
    let reason = ChainAnswer.words(code, leaf, name, depth > 0 ? culprit : nil)
    return (.untrusted(reason), code)
  }

  private static func words(
    _ code: Int32, _ leaf: Certificate, _ name: PeerName?, _ culprit: Certificate?
  ) -> String {
    switch code {
    case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH:
      let names = leaf.names.isEmpty ? "no host" : leaf.names.joined(separator: ", ")
      return "the certificate is for \(names), not for \(name?.text ?? "this host")"
    default:
      // The text is a constant of the library.
      let text = unsafe String(cString: X509_verify_cert_error_string(Int(code)))
      let peer = name.map { "\($0.text): " } ?? ""
      let whose = culprit.map { ", by “\($0)”" } ?? ""
      return "\(peer)\(text) (“\(leaf)”\(whose))"
    }
  }
}

extension ChainFault {
  init?(code: Int32) {
    switch code {
    case Int32(X509_V_OK): return nil
    case X509_V_ERR_CERT_HAS_EXPIRED: self = .expired
    case X509_V_ERR_CERT_NOT_YET_VALID: self = .notYetValid
    case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH: self = .otherHost
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
      X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
      X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_CERT_UNTRUSTED:
      self = .noAnchor
    case X509_V_ERR_INVALID_PURPOSE: self = .wrongPurpose
    default: self = .other
    }
  }
}
