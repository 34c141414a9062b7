internal import COpenSSL
internal import Glibc

/// A private key. OpenSSL wipes it when the last reference goes.
///
/// The guard of the `@unchecked`: the key is never changed after it was read, and OpenSSL keeps
/// its count under a lock of its own.
@safe public final class PrivateKey: @unchecked Sendable {
  let pointer: OpaquePointer

  init(owning pointer: OpaquePointer) {
    unsafe self.pointer = pointer
  }

  deinit { unsafe EVP_PKEY_free(pointer) }

  /// Reads a key in PKCS #8 or in its algorithm's own form.
  public convenience init(der: [UInt8]) throws(TLSError) {
    OpenSSLErrors.clear()
    let parsed = unsafe der.withUnsafeBufferPointer { buffer in
      var next = buffer.baseAddress
      return unsafe d2i_AutoPrivateKey(nil, &next, buffer.count)
    }
    guard let parsed = unsafe parsed else {
      throw .configuration("this is no private key: \(OpenSSLErrors.words(otherwise: "empty"))")
    }
    unsafe self.init(owning: parsed)
  }

  /// Reads the first key of a PEM text, with the password that it may be encrypted with.
  public convenience init(pem: String, password: String? = nil) throws(TLSError) {
    var bytes = Array(pem.utf8)
    defer { wipe(&bytes) }
    try self.init(pemBytes: bytes, password: password, of: "the text")
  }

  /// Reads the first key of a PEM file, with the password that it may be encrypted with.
  public convenience init(pemFile path: String, password: String? = nil) throws(TLSError) {
    var bytes = try SmallFile.read(path)
    defer { wipe(&bytes) }
    try self.init(pemBytes: bytes, password: password, of: path)
  }

  convenience init(pemBytes: [UInt8], password: String?, of name: String) throws(TLSError) {
    OpenSSLErrors.clear()
    // Without a password there must be no question on the terminal: an empty one is given.
    let parsed = unsafe withOpenSSLMemory(pemBytes) { memory in
      unsafe (password ?? "").withCString { word in
        unsafe PEM_read_bio_PrivateKey(
          memory, nil, passwordAsked, UnsafeMutableRawPointer(mutating: word))
      }
    }
    guard let parsed = unsafe parsed else {
      let words = OpenSSLErrors.words(otherwise: "there is none")
      throw .configuration("\(name) gives no private key: \(words)")
    }
    unsafe self.init(owning: parsed)
  }

  /// True when the certificate is for this key.
  func fits(_ certificate: Certificate) -> Bool {
    OpenSSLErrors.clear()
    defer { OpenSSLErrors.clear() }
    return unsafe X509_check_private_key(certificate.handle.pointer, pointer) == 1
  }

  /// The key's algorithm in OpenSSL's words, `RSA` or `EC`.
  public var algorithm: String {
    // The text is a constant of the library.
    guard let name = unsafe EVP_PKEY_get0_type_name(pointer) else { return "unknown" }
    return unsafe String(cString: name)
  }

  /// The size that the key's owner names it by, in bits.
  public var sizeInBits: Int { Int(unsafe EVP_PKEY_get_bits(pointer)) }
}

/// Copies the password, which does not fit when it is longer than OpenSSL has room for.
private func passwordAsked(
  _ room: UnsafeMutablePointer<CChar>?, _ size: Int32, _: Int32, _ word: UnsafeMutableRawPointer?
) -> Int32 {
  guard let room = unsafe room, let word = unsafe word else { return -1 }
  let length = unsafe strlen(word.assumingMemoryBound(to: CChar.self))
  guard length <= Int(size) else { return -1 }
  unsafe memcpy(room, word, length)
  return Int32(length)
}
