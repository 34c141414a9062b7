internal import COpenSSL

/// What a PKCS #12 file holds.
struct PKCS12Parts {
  var key: PrivateKey?
  /// The certificate of the key.
  var certificate: Certificate?
  /// The other certificates.
  var others: [Certificate]

  init(_ bytes: [UInt8], password: String) throws(TLSError) {
    OpenSSLErrors.clear()
    let file = unsafe withOpenSSLMemory(bytes) { unsafe d2i_PKCS12_bio($0, nil) }
    guard let file = unsafe file else {
      throw .configuration("this is no PKCS #12: \(OpenSSLErrors.words(otherwise: "empty"))")
    }
    defer { unsafe PKCS12_free(file) }
    var key: OpaquePointer?
    var leaf: OpaquePointer?
    var stack: OpaquePointer?
    guard unsafe PKCS12_parse(file, password, &key, &leaf, &stack) == 1 else {
      throw .configuration("PKCS #12: \(OpenSSLErrors.words(otherwise: "the password is wrong"))")
    }
    // All three are the caller's now.
    self.key = unsafe key.map { unsafe PrivateKey(owning: $0) }
    certificate = unsafe leaf.map { unsafe Certificate(CertificateHandle(owning: $0)) }
    others = unsafe CertificateStack.certificates(of: stack)
    if unsafe stack != nil { unsafe adit_x509_stack_free(stack) }
  }
}
