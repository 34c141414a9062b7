internal import COpenSSL
internal import Glibc

/// Certificates by OpenSSL. A failure is the test machine's and traps.
enum CertificateMaker {
  static func make(
    _ request: TestCertificate.Request, signedBy issuer: TestCertificate?,
    above: [TestCertificate] = []
  ) -> TestCertificate {
    let key = unsafe makeKey(request.key)
    defer { unsafe EVP_PKEY_free(key) }
    let signer = unsafe issuer.flatMap { unsafe readCertificate($0.der) }
    defer { unsafe X509_free(signer) }
    let signingKey = unsafe issuer.flatMap { unsafe readKey($0.keyDER) }
    defer { unsafe EVP_PKEY_free(signingKey) }

    let made = unsafe X509_new()
    defer { unsafe X509_free(made) }
    unsafe X509_set_version(made, 2)
    var serial = SystemRandomNumberGenerator()
    unsafe ASN1_INTEGER_set_uint64(X509_get_serialNumber(made), serial.next() >> 1)
    unsafe setTimes(made, request.validity)
    unsafe X509_NAME_add_entry_by_txt(
      X509_get_subject_name(made), "CN", MBSTRING_FLAG, Array(request.name.utf8),
      Int32(request.name.utf8.count), -1, 0)
    unsafe X509_set_issuer_name(made, X509_get_subject_name(signer ?? made))
    unsafe X509_set_pubkey(made, key)
    unsafe setExtensions(made, signer ?? made, request)
    require(unsafe X509_sign(made, signingKey ?? key, EVP_sha256()) > 0)

    let der = unsafe bytes { unsafe i2d_X509_bio($0, made) }
    let pem = unsafe text { unsafe PEM_write_bio_X509($0, made) }
    return TestCertificate(
      der: der, keyDER: unsafe bytes { unsafe i2d_PKCS8PrivateKeyInfo_bio($0, key) },
      certificatePEM: pem, chainPEM: ([pem] + above.map(\.certificatePEM)).joined(),
      keyPEM: unsafe text {
        unsafe PEM_write_bio_PKCS8PrivateKey($0, key, nil, nil, 0, nil, nil)
      },
      chainDER: [der] + above.map(\.der))
  }

  static func pkcs12(_ certificate: TestCertificate, password: String) -> [UInt8] {
    let key = unsafe readKey(certificate.keyDER)
    defer { unsafe EVP_PKEY_free(key) }
    let leaf = unsafe readCertificate(certificate.der)
    defer { unsafe X509_free(leaf) }
    let others = unsafe adit_x509_stack_new()
    defer { unsafe adit_x509_stack_free(others) }
    for der in certificate.chainDER.dropFirst() {
      let other = unsafe readCertificate(der)
      require(unsafe adit_x509_stack_push(others, other))
      unsafe X509_free(other)
    }
    let file = unsafe PKCS12_create(password, "test", key, leaf, others, 0, 0, 0, 0, 0)
    defer { unsafe PKCS12_free(file) }
    require(unsafe file != nil)
    return unsafe bytes { unsafe i2d_PKCS12_bio($0, file) }
  }

  // MARK: Parts

  private static func makeKey(_ kind: TestCertificate.Request.Key) -> OpaquePointer? {
    let name = kind == .rsa ? "RSA" : "EC"
    let context = unsafe EVP_PKEY_CTX_new_from_name(nil, name, nil)
    defer { unsafe EVP_PKEY_CTX_free(context) }
    require(unsafe EVP_PKEY_keygen_init(context) == 1)
    switch kind {
    case .ellipticCurve: require(unsafe EVP_PKEY_CTX_set_group_name(context, "P-256") == 1)
    case .rsa: require(unsafe EVP_PKEY_CTX_set_rsa_keygen_bits(context, 2048) == 1)
    }
    var key: OpaquePointer?
    require(unsafe EVP_PKEY_generate(context, &key) == 1)
    return unsafe key
  }

  private static func setTimes(
    _ certificate: OpaquePointer?, _ validity: TestCertificate.Request.Validity
  ) {
    let (hour, day) = (3600, 86_400)
    let (begin, end) =
      switch validity {
      case .now: (-hour, day)
      case .over: (-day, -hour)
      case .later: (hour, day)
      }
    unsafe X509_gmtime_adj(X509_getm_notBefore(certificate), begin)
    unsafe X509_gmtime_adj(X509_getm_notAfter(certificate), end)
  }

  private static func setExtensions(
    _ certificate: OpaquePointer?, _ issuer: OpaquePointer?, _ request: TestCertificate.Request
  ) {
    var texts: [(Int32, String)]
    switch request.purpose {
    case .authority:
      texts = [
        (NID_basic_constraints, "critical,CA:TRUE"),
        (NID_key_usage, "critical,keyCertSign,cRLSign"),
      ]
    case .server:
      texts = [(NID_basic_constraints, "critical,CA:FALSE"), (NID_ext_key_usage, "serverAuth")]
    case .client:
      texts = [(NID_basic_constraints, "critical,CA:FALSE"), (NID_ext_key_usage, "clientAuth")]
    }
    texts.append((NID_subject_key_identifier, "hash"))
    if unsafe certificate != issuer { texts.append((NID_authority_key_identifier, "keyid")) }
    if !request.hosts.isEmpty {
      let hosts = request.hosts.map { isAddress($0) ? "IP:\($0)" : "DNS:\($0)" }
      texts.append((NID_subject_alt_name, hosts.joined(separator: ",")))
    }
    for (kind, text) in texts {
      var context = unsafe X509V3_CTX()
      unsafe X509V3_set_ctx(&context, issuer, certificate, nil, nil, 0)
      let made = unsafe X509V3_EXT_nconf_nid(nil, &context, kind, text)
      require(unsafe made != nil)
      require(unsafe X509_add_ext(certificate, made, -1) == 1)
      unsafe X509_EXTENSION_free(made)
    }
  }

  private static func isAddress(_ host: String) -> Bool {
    host.contains(":") || host.allSatisfy { $0.isNumber || $0 == "." }
  }

  private static func readCertificate(_ der: [UInt8]) -> OpaquePointer? {
    unsafe der.withUnsafeBufferPointer { buffer in
      var next = buffer.baseAddress
      return unsafe d2i_X509(nil, &next, buffer.count)
    }
  }

  private static func readKey(_ der: [UInt8]) -> OpaquePointer? {
    unsafe der.withUnsafeBufferPointer { buffer in
      var next = buffer.baseAddress
      return unsafe d2i_AutoPrivateKey(nil, &next, buffer.count)
    }
  }

  private static func bytes(_ write: (OpaquePointer?) -> Int32) -> [UInt8] {
    let memory = unsafe BIO_new(BIO_s_mem())
    defer { unsafe BIO_free(memory) }
    require(unsafe write(memory) == 1)
    var bytes = [UInt8](repeating: 0, count: unsafe BIO_ctrl_pending(memory))
    let count = unsafe BIO_read(memory, &bytes, Int32(bytes.count))
    require(Int(count) == bytes.count)
    return bytes
  }

  private static func text(_ write: (OpaquePointer?) -> Int32) -> String {
    unsafe String(decoding: bytes(write), as: UTF8.self)
  }

  private static func require(_ condition: Bool) {
    precondition(condition, "OpenSSL refused to make a test's certificate")
  }
}
