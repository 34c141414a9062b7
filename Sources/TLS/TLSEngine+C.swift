internal import COpenSSL

/// TLS of one connection as bytes in and bytes out: no socket, no clock, no thread of its own.
///
/// 1. What came from the wire goes in through `feed`.
/// 2. `handshake` goes on until it is done, wants input, or wants its owner's word on the peer.
/// 3. `read` gives plaintext until it wants input; `write` takes plaintext.
/// 4. After each of these `takeOutput` gives what is to go onto the wire: handshake, records,
///    alerts, tickets and new keys alike.
///
/// It belongs to one loop. An error stays: every later call gives it again, except for
/// `takeOutput`, which still gives the alert that tells the peer.
@safe public final class TLSEngine {
  /// How far the handshake is.
  public enum Progress: Equatable, Sendable {
    /// It is over: bytes may be read and written.
    case done
    /// It goes on when more has been fed.
    case wantsInput
    /// It goes on when the owner has decided about `peer`.
    case wantsDecision
    /// It failed.
    case failed(TLSError)
  }

  /// What became of plaintext.
  public enum Transfer: Equatable, Sendable {
    /// So many bytes were moved.
    case moved(Int)
    /// Nothing goes before more has been fed.
    case wantsInput
    /// The peer ended its stream in good order.
    case ended
    /// TLS broke.
    case failed(TLSError)
  }

  /// Whether the owner was asked about the peer, and what it said.
  enum Decision: Equatable {
    case unasked
    case asked
    case given(isTrusted: Bool)
  }

  let context: TLSContext
  /// The server's name, on a client that has one.
  let peerName: PeerName?
  let sessionKey: SessionKey?
  /// OpenSSL's connection, which owns the two memories.
  let ssl: OpaquePointer
  private let input: OpaquePointer
  let output: OpaquePointer

  private(set) var failure: TLSError?
  private var isEstablished = false
  /// OpenSSL is done with the handshake, though a server's owner may not be.
  private var isNegotiated = false
  private var inputIsOver = false
  private var outputIsOver = false
  private var peerHasEnded = false

  var decision = Decision.unasked
  /// What the peer showed; nil before, and when a session was resumed.
  var shown: PeerTrust?
  /// Why verification refused the peer.
  var refusal: TLSError?
  /// How much output may go while a server waits for its owner's word on the client.
  var releasedOutput: Int?
  /// What a server seals a refusal with in TLS 1.3.
  var serverSecret: [UInt8] = []

  /// Begins a connection; `hostName` takes the place of the configuration's.
  public init(_ context: TLSContext, hostName: String? = nil) throws(TLSError) {
    let name = try context.peerName(hostName)
    self.context = context
    peerName = name
    sessionKey = context.sessionKey(name)
    OpenSSLErrors.clear()
    guard let made = unsafe SSL_new(context.pointer), let input = unsafe BIO_new(BIO_s_mem()),
      let output = unsafe BIO_new(BIO_s_mem())
    else { preconditionFailure("out of memory") }
    unsafe ssl = made
    unsafe self.input = input
    unsafe self.output = output
    unsafe SSL_set_bio(made, input, output)
    // Place 0 is the application's. The engine outlives the connection that it frees.
    unsafe SSL_set_ex_data(made, 0, Unmanaged.passUnretained(self).toOpaque())
    if context.configuration.isServer {
      unsafe SSL_set_accept_state(made)
    } else {
      prepareClient()
    }
  }

  deinit {
    // A session is forgotten with a connection that broke, not with one that was merely let go.
    if isEstablished, failure == nil || failure == .truncated {
      unsafe SSL_set_shutdown(ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN)
    }
    forgetSecret()
    unsafe SSL_free(ssl)
  }

  private func prepareClient() {
    unsafe SSL_set_connect_state(ssl)
    if let peerName {
      if !peerName.isAddress { unsafe adit_ssl_set_asked_name(ssl, peerName.text) }
      if context.configuration.checksHostName { unsafe peerName.demand(of: SSL_get0_param(ssl)) }
    }
    if let sessionKey, let session = SessionCache.shared.take(for: sessionKey) {
      unsafe SSL_set_session(ssl, session.pointer)
    }
  }

  // MARK: The wire

  /// Takes everything that came from the wire.
  public func feed(_ ciphertext: RawSpan) {
    guard !ciphertext.isEmpty else { return }
    precondition(ciphertext.byteCount <= Int(Int32.max), "input comes in small pieces")
    precondition(!inputIsOver, "nothing comes behind the end")
    // The memory copies the bytes.
    let taken = unsafe ciphertext.withUnsafeBytes { bytes in
      unsafe BIO_write(input, bytes.baseAddress, Int32(bytes.count))
    }
    precondition(Int(taken) == ciphertext.byteCount, "out of memory")
  }

  /// How many bytes were fed that neither the handshake nor a read has looked at: what is fed while
  /// the owner decides, or before it reads, stays, so that the owner can bound it.
  public var pendingInput: Int { Int(unsafe BIO_ctrl_pending(input)) }

  /// Says that nothing more comes from the wire. Where the peer has not ended TLS before, what
  /// came may be cut off: once it is read, reading fails with `truncated`.
  public func feedEnd() {
    inputIsOver = true
  }

  /// How many bytes `takeOutput` would give.
  public var pendingOutput: Int {
    let count = Int(unsafe BIO_ctrl_pending(output))
    return min(count, releasedOutput ?? count)
  }

  /// Gives bytes for the wire, as many as there is room for, and says how many.
  public func takeOutput(into bytes: inout MutableRawSpan) -> Int {
    let size = min(pendingOutput, bytes.byteCount, Int(Int32.max))
    guard size > 0 else { return 0 }
    let count = unsafe bytes.withUnsafeMutableBytes { buffer in
      Int(unsafe BIO_read(output, buffer.baseAddress, Int32(size)))
    }
    precondition(count > 0, "a memory gives what it has")
    if let releasedOutput { self.releasedOutput = releasedOutput - count }
    return count
  }

  /// Tells the peer that nothing more will be written. Reading goes on.
  public func endOutput() {
    guard isEstablished, failure == nil, !outputIsOver else { return }
    outputIsOver = true
    OpenSSLErrors.clear()
    unsafe SSL_shutdown(ssl)
    OpenSSLErrors.clear()
  }

  // MARK: The handshake

  /// Goes on with the handshake.
  public func handshake() -> Progress {
    if let failure { return .failed(failure) }
    if isEstablished { return .done }
    if decision == .asked, isNegotiated || !context.configuration.isServer {
      return .wantsDecision
    }
    if isNegotiated { return established() }
    OpenSSLErrors.clear()
    let result = unsafe SSL_do_handshake(ssl)
    if result == 1 {
      isNegotiated = true
      return decision == .asked ? .wantsDecision : established()
    }
    switch unsafe SSL_get_error(ssl, result) {
    case SSL_ERROR_WANT_READ where !inputIsOver: return .wantsInput
    case SSL_ERROR_WANT_READ, SSL_ERROR_ZERO_RETURN:
      return .failed(fail(.handshake("the peer ended the connection during the handshake")))
    case SSL_ERROR_WANT_RETRY_VERIFY: return .wantsDecision
    default: return .failed(fail(refusal ?? brokenHandshake()))
    }
  }

  private func established() -> Progress {
    isEstablished = true
    // A client without a certificate, or one that came back by a ticket: nobody was asked.
    if context.holdsForDecision, decision == .unasked { releaseOutput() }
    return .done
  }

  /// Answers `wantsDecision`. Once a peer is not trusted, `handshake` fails, and the alert for the
  /// peer is in the output.
  public func decide(isTrusted: Bool) {
    precondition(decision == .asked, "only a question is answered, and once")
    decision = .given(isTrusted: isTrusted)
    guard isNegotiated else { return }
    // A server: OpenSSL went on without the answer, and the rest of its output was held back.
    if isTrusted {
      releaseOutput()
    } else {
      fail(.untrusted(TLSEngine.ownersRefusal))
      refuseClient()
    }
  }

  @discardableResult
  func fail(_ error: TLSError) -> TLSError {
    failure = error
    if let sessionKey, error != .truncated { SessionCache.shared.remove(sessionKey) }
    return error
  }

  // MARK: Plaintext

  /// Gives plaintext, as much as has come and fits.
  public func read(into bytes: inout MutableRawSpan) -> Transfer {
    if let failure { return .failed(failure) }
    precondition(isEstablished, "the handshake comes first")
    if peerHasEnded { return .ended }
    let size = bytes.byteCount
    var filled = 0
    var status = SSL_ERROR_NONE
    OpenSSLErrors.clear()
    // Only the library's refusal says that there is no more: its count of what is there does not.
    unsafe bytes.withUnsafeMutableBytes { buffer in
      guard let start = buffer.baseAddress else { return }
      while filled < size, status == SSL_ERROR_NONE {
        var count = 0
        let result = unsafe SSL_read_ex(ssl, start + filled, size - filled, &count)
        if result == 1 { filled += count } else { unsafe status = SSL_get_error(ssl, result) }
      }
    }
    let end = readingEnded(status)
    return filled > 0 || size == 0 ? .moved(filled) : end
  }

  /// Notes why reading stopped: the next call tells, when this one has bytes to give.
  private func readingEnded(_ status: Int32) -> Transfer {
    switch status {
    case SSL_ERROR_NONE: return .moved(0)
    case SSL_ERROR_WANT_READ:
      // OpenSSL has looked at everything; a part of a record is in its own buffer.
      return inputIsOver ? .failed(fail(.truncated)) : .wantsInput
    case SSL_ERROR_ZERO_RETURN:
      peerHasEnded = true
      return .ended
    default: return .failed(fail(brokenRecord()))
    }
  }

  /// Takes plaintext, all of it unless TLS breaks. What it makes of it is in the output, whose
  /// size is the owner's to bound.
  public func write(_ bytes: RawSpan) -> Transfer {
    if let failure { return .failed(failure) }
    precondition(isEstablished, "the handshake comes first")
    precondition(!outputIsOver, "nothing is written behind the end")
    let size = bytes.byteCount
    var taken = 0
    var status = SSL_ERROR_NONE
    OpenSSLErrors.clear()
    unsafe bytes.withUnsafeBytes { buffer in
      guard let start = buffer.baseAddress else { return }
      while taken < size, status == SSL_ERROR_NONE {
        var count = 0
        let result = unsafe SSL_write_ex(ssl, start + taken, size - taken, &count)
        if result == 1 { taken += count } else { unsafe status = SSL_get_error(ssl, result) }
      }
    }
    switch status {
    case SSL_ERROR_NONE: return .moved(taken)
    case SSL_ERROR_WANT_READ: return taken > 0 ? .moved(taken) : .wantsInput
    default:
      let error = fail(brokenRecord())
      return taken > 0 ? .moved(taken) : .failed(error)
    }
  }

  // MARK: What was agreed on

  /// What both sides agreed on; nil before the handshake is done.
  public var session: TLSSession? {
    guard isEstablished, let cipher = unsafe SSL_get_current_cipher(ssl),
      let version = TLSVersion(wireNumber: unsafe SSL_version(ssl))
    else { return nil }
    return TLSSession(
      version: version,
      // The text is a constant of the library.
      cipherSuite: unsafe String(cString: SSL_CIPHER_get_name(cipher)),
      applicationProtocol: applicationProtocol,
      isResumed: unsafe SSL_session_reused(ssl) == 1,
      peerCertificates: peerCertificates)
  }

  private var applicationProtocol: String? {
    var start: UnsafePointer<UInt8>?
    var count: UInt32 = 0
    unsafe SSL_get0_alpn_selected(ssl, &start, &count)
    guard count > 0 else { return nil }
    // The name belongs to the connection; it is copied.
    return unsafe String(
      decoding: UnsafeBufferPointer(start: start, count: Int(count)), as: UTF8.self)
  }
}
