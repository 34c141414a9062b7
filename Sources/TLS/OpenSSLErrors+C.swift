internal import COpenSSL
internal import Glibc

/// OpenSSL's error queue, which each thread has for itself: cleared before a call, read right
/// after it.
enum OpenSSLErrors {
  /// What the peer's alerts add to their numbers in the queue.
  private static let firstAlert: Int32 = 1000
  private static let lastAlert: Int32 = 1255

  /// An error of the queue.
  struct Entry {
    var words: String
    /// The number of the alert when the error is what the peer said.
    var alert: Int32?
  }

  static func clear() { ERR_clear_error() }

  /// The first error since the queue was cleared, which is the cause of the others.
  static func take() -> Entry? {
    let code = ERR_get_error()
    guard code != 0 else { return nil }
    defer { ERR_clear_error() }
    // The layout of the code since OpenSSL 3: bit 31 marks errors of the system.
    guard code & 0x8000_0000 == 0 else {
      let text = unsafe strerror(Int32(truncatingIfNeeded: code & 0x7fff_ffff))
      return Entry(words: unsafe text.map { unsafe String(cString: $0) } ?? "error \(code)")
    }
    let library = Int32(truncatingIfNeeded: code >> 23 & 0xff)
    let reason = Int32(truncatingIfNeeded: code & 0x7f_ffff)
    // The text is a constant of the library.
    let text = unsafe ERR_reason_error_string(code)
    let words = unsafe text.map { unsafe String(cString: $0) } ?? "error \(reason)"
    guard library == ERR_LIB_SSL, reason >= firstAlert, reason <= lastAlert else {
      return Entry(words: words)
    }
    return Entry(words: words, alert: reason - firstAlert)
  }

  /// The words of the first error.
  static func words(otherwise: String) -> String { take()?.words ?? otherwise }
}

/// Overwrites bytes that held a secret and lets them go. A copy made elsewhere stays.
func wipe(_ bytes: inout [UInt8]) {
  // A plain loop would be left out by the optimiser, since nobody reads the zeros.
  unsafe bytes.withUnsafeMutableBytes { unsafe OPENSSL_cleanse($0.baseAddress, $0.count) }
  bytes = []
}

/// Memory that OpenSSL writes a text to.
func openSSLText(_ write: (OpaquePointer) -> Void) -> String {
  guard let memory = unsafe BIO_new(BIO_s_mem()) else { return "" }
  defer { unsafe BIO_free(memory) }
  unsafe write(memory)
  let count = unsafe BIO_ctrl_pending(memory)
  let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
    let read = unsafe BIO_read(memory, buffer.baseAddress, Int32(buffer.count))
    filled = max(0, Int(read))
  }
  return String(decoding: bytes, as: UTF8.self)
}

/// Runs `body` with a memory that OpenSSL reads the bytes from.
func withOpenSSLMemory<Result, Failure: Error>(
  _ bytes: [UInt8], _ body: (OpaquePointer) throws(Failure) -> Result
) throws(Failure) -> Result {
  // A copy: what OpenSSL does not own it would have to be told to leave alone.
  guard let memory = unsafe BIO_new(BIO_s_mem()) else { preconditionFailure("out of memory") }
  defer { unsafe BIO_free(memory) }
  precondition(bytes.count <= Int(Int32.max), "files have a limit")
  if !bytes.isEmpty {
    let written = unsafe BIO_write(memory, bytes, Int32(bytes.count))
    precondition(Int(written) == bytes.count, "out of memory")
  }
  return try unsafe body(memory)
}
