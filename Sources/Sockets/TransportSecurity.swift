internal import Kernel
internal import Reactor
package import TLS

/// TLS between a transport's socket and its bytes in clear.
final class TransportSecurity {
  let engine: TLSEngine
  /// Ciphertext that the socket has not taken.
  var output = ByteQueue()
  var isEstablished = false
  /// The owner has been asked for its trust.
  var isAsking = false
  /// The engine may hold bytes in clear that nobody has read.
  var mightHoldBytes = false

  /// Ciphertext held before no more is made: a record or two, so that a slow peer stops the writer.
  static let outputLimit = 65_536

  init(_ engine: TLSEngine) {
    self.engine = engine
  }
}

extension Transport {
  /// Begins the handshake; what was read from the socket already and belongs to TLS is `early`.
  ///
  /// The owner is told how it ends. Before that every read and write would block.
  package func startTLS(
    _ context: TLSContext, early: [UInt8] = [], timeout: Duration? = nil
  ) throws(SocketError) {
    precondition(security == nil, "TLS is started once on a connection")
    guard isOpen else { throw .closed }
    let engine: TLSEngine
    do {
      engine = try TLSEngine(context)
    } catch {
      throw .tls(error)
    }
    if !early.isEmpty { engine.feed(early.span.octets) }
    security = TransportSecurity(engine)
    if let timeout {
      timer = home.loop.setTimer(at: home.loop.now + timeout, self, tag: Tag.handshake)
    }
    // Not within the owner's call: it is told of what comes by the loop's next turn.
    home.loop.callSoon(self, tag: 0)
  }

  /// Answers `transportAsksTrust`.
  package func decide(isTrusted: Bool) {
    guard isOpen, let security, !security.isEstablished else { return }
    security.engine.decide(isTrusted: isTrusted)
    shakeHands()
  }

  /// What is known of TLS, once it is in force.
  package var tlsSession: TLSSession? { isSecure ? security?.engine.session : nil }

  func shakeHands() {
    guard let security else { return }
    while isOpen {
      let progress = security.engine.handshake()
      flush()
      switch progress {
      case .done: return established(security)
      case .wantsInput: if !takeInput(security) { return }
      case .wantsDecision: return askTrust(security)
      case .failed(let error): return handshakeFailed(.tls(error))
      }
    }
  }

  private func askTrust(_ security: TransportSecurity) {
    guard !security.isAsking else { return }
    security.isAsking = true
    owner?.transportAsksTrust(security.engine.peer)
  }

  /// Gives the engine what the socket has. False when nothing is there, or the peer has left.
  private func takeInput(_ security: TransportSecurity) -> Bool {
    do {
      switch try feed(security) {
      case .moved: return true
      case .wouldBlock: return false
      case .ended:
        handshakeFailed(.tls(.handshake("the peer ended the connection during the handshake")))
        return false
      }
    } catch {
      handshakeFailed(error)
      return false
    }
  }

  private func feed(_ security: TransportSecurity) throws(SocketError) -> Transfer {
    try home.withCiphertext { bytes throws(SocketError) in
      let transfer = try receive(into: &bytes)
      if case .moved(let count) = transfer {
        security.engine.feed(bytes.bytes.extracting(first: count))
        security.mightHoldBytes = true
      }
      return transfer
    }
  }

  private func established(_ security: TransportSecurity) {
    security.isEstablished = true
    security.mightHoldBytes = true
    if let timer = timer.take() { home.loop.cancel(timer) }
    owner?.transportIsSecure()
    if isOpen { owner?.transportIsReadable() }
    if isOpen { owner?.transportIsWritable() }
  }

  func handshakeFailed(_ error: SocketError) {
    guard isOpen else { return }
    if let timer = timer.take() { home.loop.cancel(timer) }
    fail(error)
    owner?.transportFailed(error)
  }

  // MARK: Reading and writing

  func read(
    into bytes: inout MutableRawSpan, through security: TransportSecurity
  ) throws(SocketError) -> Transfer {
    guard security.isEstablished else { return .wouldBlock }
    while true {
      switch security.engine.read(into: &bytes) {
      case .moved(let count):
        flush()
        return .moved(count)
      case .ended: return .ended
      case .failed(let error):
        flush()
        throw .tls(error)
      case .wantsInput: break
      }
      security.mightHoldBytes = false
      flush()
      switch try feed(security) {
      case .moved: break
      case .wouldBlock: return .wouldBlock
      // The end of the connection is no end of the stream: somebody may have cut it off.
      case .ended: throw .tls(.truncated)
      }
    }
  }

  func write(
    _ bytes: RawSpan, through security: TransportSecurity
  ) throws(SocketError) -> Transfer {
    guard security.isEstablished else { return .wouldBlock }
    flush()
    if let writeFailure { throw writeFailure }
    guard security.output.count < TransportSecurity.outputLimit else { return .wouldBlock }
    let portion = bytes.extracting(first: min(bytes.byteCount, TransportSecurity.outputLimit))
    switch security.engine.write(portion) {
    case .moved(let count):
      flush()
      return .moved(count)
    case .wantsInput: return .wouldBlock
    case .ended: throw .closed
    case .failed(let error): throw .tls(error)
    }
  }

  /// Moves what the engine has made to the socket, as far as it takes it; the rest is kept.
  func flush() {
    guard let security else { return }
    sendKept(security)
    while security.engine.pendingOutput > 0, writeFailure == nil {
      home.withCiphertext { bytes in
        let count = security.engine.takeOutput(into: &bytes)
        let made = bytes.bytes.extracting(first: count)
        let taken = security.output.isEmpty ? sendAll(made) : 0
        security.output.append(made.extracting(droppingFirst: taken))
      }
    }
    if security.output.isEmpty, isShutDown { shutDown() }
  }

  private func sendKept(_ security: TransportSecurity) {
    while !security.output.isEmpty {
      let taken = security.output.withBytes { bytes in sendAll(bytes) }
      guard taken > 0 else { return }
      security.output.removeFirst(taken)
    }
  }

  /// Writes until the socket takes no more. A failure is remembered, and told by the next write.
  private func sendAll(_ bytes: RawSpan) -> Int {
    var taken = 0
    while taken < bytes.byteCount, writeFailure == nil {
      guard case .moved(let count)? = try? send(bytes.extracting(droppingFirst: taken)) else {
        return taken
      }
      taken += count
    }
    return taken
  }
}
