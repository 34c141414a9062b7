internal import COpenSSL
internal import Kernel

/// The owner of one reference to OpenSSL's certificate.
///
/// The guard of the `@unchecked`: the certificate is never changed after it was read, and OpenSSL
/// keeps its count and what it remembers of extensions under locks of its own.
@safe final class CertificateHandle: @unchecked Sendable {
  let pointer: OpaquePointer

  /// Takes over a reference.
  init(owning pointer: OpaquePointer) {
    unsafe self.pointer = pointer
  }

  /// Makes a reference of its own.
  convenience init(sharing pointer: OpaquePointer) {
    unsafe X509_up_ref(pointer)
    unsafe self.init(owning: pointer)
  }

  deinit { unsafe X509_free(pointer) }

  convenience init(der: [UInt8]) throws(TLSError) {
    OpenSSLErrors.clear()
    // The parser moves the pointer behind what it read; the bytes outlive the call.
    let (parsed, isWhole) = unsafe der.withUnsafeBufferPointer { buffer in
      var next = buffer.baseAddress
      let parsed = unsafe d2i_X509(nil, &next, buffer.count)
      let end = unsafe buffer.baseAddress.map { unsafe $0 + buffer.count }
      return unsafe (parsed, next == end)
    }
    guard let parsed = unsafe parsed else {
      throw .configuration("this is no certificate: \(OpenSSLErrors.words(otherwise: "empty"))")
    }
    unsafe self.init(owning: parsed)
    guard isWhole else { throw .configuration("there are bytes behind the certificate") }
  }

  static func list(pem: [UInt8]) throws(TLSError) -> [CertificateHandle] {
    try unsafe withOpenSSLMemory(pem) { memory throws(TLSError) in
      var handles: [CertificateHandle] = []
      OpenSSLErrors.clear()
      while let next = unsafe PEM_read_bio_X509(memory, nil, nil, nil) {
        handles.append(unsafe CertificateHandle(owning: next))
      }
      // The end of the text is told as the lack of one more beginning.
      let last = ERR_peek_last_error()
      let reason = Int32(truncatingIfNeeded: last & 0x7f_ffff)
      let words = OpenSSLErrors.words(otherwise: "it ends early")
      guard reason == PEM_R_NO_START_LINE else {
        throw .configuration("certificate \(handles.count + 1) cannot be read: \(words)")
      }
      return handles
    }
  }

  var der: [UInt8] {
    let count = unsafe i2d_X509(pointer, nil)
    guard count > 0 else { return [] }
    return unsafe [UInt8](unsafeUninitializedCapacity: Int(count)) { buffer, filled in
      var next = buffer.baseAddress
      filled = Int(unsafe i2d_X509(pointer, &next))
    }
  }

  var subject: String {
    unsafe openSSLText { unsafe adit_x509_write_name($0, X509_get_subject_name(pointer)) }
  }

  var issuer: String {
    unsafe openSSLText { unsafe adit_x509_write_name($0, X509_get_issuer_name(pointer)) }
  }

  var summary: String {
    unsafe openSSLText { unsafe adit_x509_write_summary($0, pointer) }
  }

  var hosts: [String] {
    let text = unsafe openSSLText { unsafe adit_x509_write_hosts($0, pointer) }
    return text.split(separator: "\n").map { IPAddress($0)?.description ?? String($0) }
  }

  var notBefore: Int64 { unsafe adit_asn1_seconds(X509_get0_notBefore(pointer)) }
  var notAfter: Int64 { unsafe adit_asn1_seconds(X509_get0_notAfter(pointer)) }

  /// The public key as the certificate carries it: PKCS #1 for RSA, a point for EC.
  var publicKey: [UInt8] {
    guard let bits = unsafe X509_get0_pubkey_bitstr(pointer) else { return [] }
    // The bits belong to the certificate; they are copied.
    return unsafe Array(
      UnsafeBufferPointer(
        start: ASN1_STRING_get0_data(bits), count: Int(ASN1_STRING_length(bits))))
  }

  var publicKeySize: Int {
    guard let key = unsafe X509_get0_pubkey(pointer) else { return 0 }
    return Int(unsafe EVP_PKEY_get_bits(key))
  }

  var serialNumber: String {
    unsafe openSSLText { unsafe i2a_ASN1_INTEGER($0, X509_get0_serialNumber(pointer)) }
  }
}

/// A stack of certificates as OpenSSL wants it, with references of its own.
@safe struct CertificateStack: ~Copyable {
  let pointer: OpaquePointer

  init(_ certificates: some Sequence<Certificate>) {
    guard let made = unsafe adit_x509_stack_new() else { preconditionFailure("out of memory") }
    unsafe pointer = made
    for certificate in certificates {
      let isPushed = unsafe adit_x509_stack_push(made, certificate.handle.pointer)
      precondition(isPushed, "out of memory")
    }
  }

  deinit { unsafe adit_x509_stack_free(pointer) }

  /// The certificates of a stack that stays its owner's.
  static func certificates(of stack: OpaquePointer?) -> [Certificate] {
    (0..<(unsafe adit_x509_stack_count(stack))).compactMap { index in
      unsafe adit_x509_stack_at(stack, index).map { found in
        unsafe Certificate(CertificateHandle(sharing: found))
      }
    }
  }
}
