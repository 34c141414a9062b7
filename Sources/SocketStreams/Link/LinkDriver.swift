internal import Foundation
internal import Kernel
internal import Names
internal import Reactor
internal import Sockets
internal import TLS

/// The connection's side of a pair of streams, on the connection's loop.
///
/// 1. `begin` connects, to the proxy where there is one, speaks with it, and secures the connection
///    where the streams are to be secure; then both streams are open.
/// 2. `readAhead` reads while there is room in `incoming`; the room's end stops the peer.
/// 3. `send` takes `outgoing` and writes it; what the kernel does not take waits for readiness.
/// 4. `finish` follows the closing of a stream: what was written goes out, then the stream's end,
///    and when both are closed, the connection's.
///
/// Guard of the `@unchecked`: used on its loop's thread only.
final class LinkDriver: @unchecked Sendable {
  enum Stage {
    case connecting
    case proxying(ProxyDialogue)
    case securing
    case running
    case over
  }

  /// The time that a connection has, the asking for its name included; the kernel's own is longer,
  /// Darwin's about this.
  static let connectTimeout = Duration.seconds(75)
  /// The time for a TLS handshake.
  static let handshakeTimeout = Duration.seconds(60)
  /// Bytes read before others on the loop get their turn.
  static let burst = 4 * InputRules.limit

  let home: SocketLoop
  /// Nil when everything is over: until then the driver keeps its streams' state alive.
  private(set) var link: StreamLink?
  var stage = Stage.connecting
  private var connector: Connector?
  var transport: Transport?
  /// Taken from the streams and not yet written.
  private var sending = ByteStore()
  /// TLS was begun, which happens once.
  private var hasTLS = false
  /// The descriptor is the caller's too.
  private var isBorrowed = false

  init(_ link: StreamLink, on home: SocketLoop) {
    self.link = link
    self.home = home
  }

  // MARK: Making the connection

  func begin() {
    guard let link else { return }
    guard !link.look(\.rules.isOver) else { return end() }
    switch link.target {
    case .host(let name, let port): connect(to: name, port)
    case .native(let number): adopt(number)
    case .bound: preconditionFailure("a bound pair has no connection")
    }
  }

  private func connect(to name: String, _ port: Int) {
    guard let link else { return }
    let proxy = link.look(\.settings.proxy)
    let (host, hostPort) = proxy.map { ($0.host, $0.port) } ?? (name, port)
    guard let number = UInt16(exactly: hostPort), number > 0 else {
      return fail(.socket(.invalid("port \(hostPort)", expected: "1 to 65535")))
    }
    guard !host.isEmpty, !host.utf8.contains(0) else {
      return fail(.socket(.invalid("the host's name “\(host)”", expected: "a name or an address")))
    }
    var request = ConnectRequest(to: LinkDriver.destination(host, number))
    request.timeout = LinkDriver.connectTimeout
    let connector = Connector(request, on: home) { [weak self] result in
      self?.connected(result)
    }
    self.connector = connector
    connector.start()
  }

  private static func destination(
    _ host: String, _ port: UInt16
  ) -> ConnectRequest.Destination {
    let bare = host.hasPrefix("[") && host.hasSuffix("]") ? host.dropFirst().dropLast() : host[...]
    if let address = IPAddress(bare) { return .address(.ip(address, port: port)) }
    return .host(host, port: port)
  }

  private func connected(_ result: Result<Transport, SocketError>) {
    connector = nil
    switch result {
    case .failure(let error): fail(.socket(error))
    case .success(let transport): use(transport)
    }
  }

  private func adopt(_ number: Int32) {
    guard let link else { return }
    let closes = link.shared.withLock { $0.settings.takeNativeHandleToClose(link.target) != nil }
    isBorrowed = !closes
    do {
      use(try Transport.adopting(number, keepsOriginal: isBorrowed, on: home))
    } catch {
      fail(.socket(error))
    }
  }

  private func use(_ transport: Transport) {
    guard let link else { return transport.abort() }
    self.transport = transport
    transport.owner = self
    let proxy = link.shared.withLock { state in
      state.facts.note(transport, link.target)
      return state.settings.proxy
    }
    apply(link.look(\.settings.serviceType))
    if let proxy, case .host(let name, let port) = link.target {
      let dialogue = ProxyDialogue(proxy, to: name, UInt16(clamping: port))
      stage = .proxying(dialogue)
      converse()
    } else {
      secure()
    }
  }

  private func apply(_ type: ServiceType?) {
    guard let type, let transport else { return }
    transport.withSocket { socket in type.apply(to: socket) }
  }

  // MARK: The proxy

  func converse() {
    guard case .proxying(var dialogue) = stage, let transport else { return }
    do {
      while true {
        let outgoing = dialogue.takeOutgoing()
        if !outgoing.isEmpty { try writeAll(outgoing, to: transport) }
        if dialogue.isDone { return secure() }
        var byte: [UInt8] = [0]
        var span = byte.mutableSpan
        var bytes = span.mutableOctets
        // Byte by byte, so that nothing of what follows is taken.
        switch try transport.read(into: &bytes) {
        case .moved: break
        case .wouldBlock:
          stage = .proxying(dialogue)
          return
        case .ended: return fail(.proxy(.ended))
        }
        if let failure = dialogue.take(byte[0]) { return fail(.proxy(failure)) }
      }
    } catch {
      fail(.socket(error))
    }
  }

  /// Messages to a proxy are shorter than any socket's buffer is when nothing was written yet.
  private func writeAll(_ bytes: [UInt8], to transport: Transport) throws(SocketError) {
    guard case .moved(bytes.count) = try transport.write(bytes.span.octets) else {
      throw .reset(.noBufferSpace)
    }
  }

  // MARK: TLS

  private func secure() {
    guard let link, let transport else { return }
    guard let security = link.look(\.settings.security) else { return run() }
    stage = .securing
    start(security, transport)
  }

  private func start(_ security: SecuritySettings, _ transport: Transport, early: [UInt8] = []) {
    guard let link, !hasTLS else { return }
    hasTLS = true
    do {
      let context = try TLSContext(security.configuration(for: link.target))
      try transport.startTLS(context, early: early, timeout: LinkDriver.handshakeTimeout)
    } catch let error as SocketError {
      fail(.socket(error))
    } catch let error as TLSError {
      fail(.socket(.tls(error)))
    } catch {
      fail(.unusable)
    }
  }

  /// Begins TLS on a connection that was in clear so far, everything written before having gone.
  private func change() {
    guard let link, let transport else { return }
    let begun = link.shared.withLock { state -> (ByteStore, SecuritySettings?)? in
      state.change.take().map { ($0.early, state.settings.security) }
    }
    guard let (early, security) = begun, let security else { return }
    start(security, transport, early: Array(early.bytes[early.start...]))
  }

  // MARK: Running

  func run() {
    guard let link else { return }
    stage = .running
    link.perform(link.shared.withLock { $0.rules.connected() })
    readAhead()
    send()
    finish()
  }

  func readAhead() {
    guard let link, let transport, case .running = stage else { return }
    var left = LinkDriver.burst
    while left > 0, case .running = stage {
      let room = link.shared.withLock { $0.rules.room() }
      guard room > 0 else { return }
      guard let count = readOnce(transport, link, room) else { return }
      left -= count
    }
    // Others on the loop go first.
    home.loop.post { self.readAhead() }
  }

  /// The count of bytes that came, nil when there is nothing more for now.
  private func readOnce(_ transport: Transport, _ link: StreamLink, _ room: Int) -> Int? {
    do {
      let (transfer, effects) = try home.withScratch { bytes throws(SocketError) in
        try LinkDriver.read(transport, link, into: &bytes, atMost: room)
      }
      link.perform(effects)
      switch transfer {
      case .moved(let count): return count
      case .wouldBlock, .ended: return nil
      }
    } catch {
      fail(.socket(error))
      return nil
    }
  }

  private static func read(
    _ transport: Transport, _ link: StreamLink, into bytes: inout MutableRawSpan, atMost room: Int
  ) throws(SocketError) -> (Transfer, PairEffects) {
    var part = bytes._mutatingExtracting(first: room)
    let transfer = try transport.read(into: &part)
    switch transfer {
    case .moved(let count):
      let effects = link.shared.withLock { $0.take(part.bytes.extracting(first: count)) }
      return (transfer, effects)
    case .ended: return (transfer, link.shared.withLock { $0.rules.ended() })
    case .wouldBlock: return (transfer, [])
    }
  }

  func send() {
    guard let link, let transport, case .running = stage else { return }
    do {
      while true {
        if sending.count == 0 {
          sending = link.shared.withLock { $0.takeOutgoing() }
        }
        guard sending.count > 0 else { break }
        guard case .moved(let count) = try sending.write(to: transport) else { return }
        sending.removeFirst(count)
        link.perform(link.shared.withLock { $0.rules.sent(count) })
      }
    } catch {
      return sendingFailed(error)
    }
    if link.look({ $0.change != nil }) { return change() }
    closeWhatIsDone()
  }

  /// Nothing can be sent any more; what the peer sent before is still to be read.
  private func sendingFailed(_ error: SocketError) {
    guard let link else { return }
    sending = ByteStore()
    let effects = link.shared.withLock { state in
      _ = state.outgoing.takeAll()
      return state.rules.fail(.output, .socket(error))
    }
    link.perform(effects)
    readAhead()
    closeWhatIsDone()
  }

  // MARK: The end

  /// A stream was closed.
  func finish() {
    guard let link else { return }
    switch stage {
    case .connecting:
      guard link.look(\.rules.isOver) else { return }
      connector?.cancel()
      end()
    case .proxying, .securing:
      guard link.look(\.rules.isOver), let transport else { return }
      part(with: transport)
    case .running: send()
    case .over: break
    }
  }

  /// Ends what was closed and has nothing more to send.
  private func closeWhatIsDone() {
    guard let link, let transport, case .running = stage, sending.count == 0 else { return }
    let rules = link.look(\.rules)
    if rules.isOver {
      part(with: transport)
    } else if rules.endsOutput {
      // Its failure was told by a write, or is told by a read.
      try? transport.endOutput()
    }
  }

  /// Both streams are closed: the connection ends, unless somebody else goes on with it.
  private func part(with transport: Transport) {
    guard let link else { return }
    stage = .over
    if isBorrowed {
      _ = transport.letGo()
      end()
    } else if link.look(\.settings.leavesSocketOpen) {
      // The caller has its number, and closes it.
      if let descriptor = transport.letGo() { _ = descriptor.release() }
      end()
    } else {
      transport.close { self.end() }
    }
  }

  /// The connection is over with an error.
  func fail(_ failure: StreamFailure) {
    guard let link else { return }
    stage = .over
    sending = ByteStore()
    let effects = link.shared.withLock { state in
      _ = state.outgoing.takeAll()
      return state.rules.fail(failure)
    }
    link.perform(effects)
    if isBorrowed { _ = transport?.letGo() } else { transport?.abort() }
    end()
  }

  private func end() {
    stage = .over
    transport = nil
    guard let link = link.take() else { return }
    link.shared.withLock { state in
      state.facts.nativeHandle = nil
      state.driver = nil
    }
    link.shared.signal()
    ExitWait.shared.remove(link)
  }
}
