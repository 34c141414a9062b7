package import Kernel
internal import Reactor
package import TLS

/// Whom a transport tells what has changed; on the transport's loop.
package protocol TransportOwner: AnyObject {
  /// A read may bring something: bytes, an end, or an error.
  func transportIsReadable()
  /// A write that found no room may find some.
  func transportIsWritable()
  /// TLS is in force: reads and writes are encrypted from here on.
  func transportIsSecure()
  /// The owner has to say by `Transport.decide` whether it trusts the peer.
  func transportAsksTrust(_ peer: PeerTrust)
  /// The handshake failed or took too long; nothing more can be read or written.
  func transportFailed(_ error: SocketError)
}

/// A connected stream of bytes on one loop, in clear or under TLS; every face of the library stands
/// on it.
///
/// 1. Readiness comes from the loop once for each change; `handle` remembers it and tells the
///    owner.
/// 2. The owner reads until it is told `wouldBlock`, and writes until it is told so; only then is
///    it called again.
/// 3. Under TLS the socket's bytes go through `TransportSecurity`, and the same holds for the
///    bytes in clear.
/// 4. `close` lets everything that was written arrive (`Transport+Closing.swift`); `abort` resets.
///
/// Nothing is kept here but what TLS has made and the socket has not taken: who stops reading
/// stops the peer.
///
/// Guard of the `@unchecked`: all members are used on the loop's thread.
package final class Transport: EventHandler, TimerHandler, @unchecked Sendable {
  // Constant.
  package let home: SocketLoop
  /// The peer's address, as it was when the connection was made.
  package let peerAddress: SocketAddress

  // On the loop's thread.
  package weak var owner: (any TransportOwner)?
  var socket: Descriptor?
  private var registration = Registration.none
  var phase = Phase.open
  var mayRead = false
  var mayWrite = true
  /// An end, an error or an urgent byte was reported: a short read does not mean that nothing is
  /// left.
  package private(set) var endIsNear = false
  /// A write found no room, and since then room is reported.
  private var watchesRoom = false
  /// How reading has ended, if it has.
  private(set) var readEnd: ReadEnd?
  /// Why nothing can be written any more.
  private(set) var writeFailure: SocketError?
  /// Nothing more is written; the end of the stream follows what TLS has made.
  var isShutDown = false
  private var streamIsEnded = false
  var security: TransportSecurity?
  var timer: TimerToken?
  /// Bytes in clear that came and went.
  package private(set) var received: UInt64 = 0
  package private(set) var sent: UInt64 = 0

  enum Phase {
    case open
    case closing(TransportClosing)
    case closed
  }

  enum ReadEnd {
    case endOfStream
    case failed(SocketError)
  }

  enum Tag {
    static let handshake: UInt32 = 1
    static let closing: UInt32 = 2
  }

  /// Takes a connected, non-blocking socket over and watches it.
  package init(
    _ connected: consuming Descriptor, peer: SocketAddress, on home: SocketLoop
  ) throws(SocketError) {
    self.home = home
    peerAddress = peer
    do {
      registration = try home.loop.watch(connected, self, for: EventLoop.everyChangeButRoom)
    } catch {
      throw .system(error, doing: "watching a connection")
    }
    socket = consume connected
  }

  /// True until `close` or `abort`.
  package var isOpen: Bool {
    if case .open = phase { return true }
    return false
  }

  /// True while TLS is in force.
  package var isSecure: Bool { security?.isEstablished ?? false }

  /// Whether a read may bring something before readiness is told again.
  package var mightRead: Bool { mayRead || readEnd != nil || security?.mightHoldBytes ?? false }

  // MARK: Events

  package func handle(_ readiness: Readiness, tag: UInt32) {
    if !readiness.isDisjoint(with: [.readable, .peerEnded, .error, .hungUp]) { mayRead = true }
    if !readiness.isDisjoint(with: [.writable, .error, .hungUp]) { mayWrite = true }
    if !readiness.isDisjoint(with: [.peerEnded, .error, .hungUp, .urgent]) { endIsNear = true }
    switch phase {
    case .open: break
    case .closing: return goOnClosing()
    case .closed: return
    }
    if let security, !security.isEstablished { return shakeHands() }
    if mayWrite, security != nil { flush() }
    if isOpen, mayRead { owner?.transportIsReadable() }
    if isOpen, mayWrite, !readiness.isDisjoint(with: [.writable, .error, .hungUp]) {
      owner?.transportIsWritable()
    }
  }

  package func timerFired(tag: UInt32) {
    timer = nil
    switch tag {
    case Tag.closing: closingTimerFired()
    default: handshakeFailed(.tls(.handshakeTimedOut))
    }
  }

  // MARK: Reading

  /// Reads what is there into `bytes`, which must not be empty. An end or an error is told again by
  /// every later read.
  package func read(into bytes: inout MutableRawSpan) throws(SocketError) -> Transfer {
    switch readEnd {
    case .endOfStream: return .ended
    case .failed(let error): throw error
    case nil: break
    }
    guard isOpen else { throw .closed }
    let transfer: Transfer
    do {
      transfer =
        if let security {
          try read(into: &bytes, through: security)
        } else {
          try receive(into: &bytes)
        }
    } catch {
      readEnd = .failed(error)
      throw error
    }
    switch transfer {
    case .moved(let count): received += UInt64(count)
    case .ended: readEnd = .endOfStream
    case .wouldBlock: break
    }
    return transfer
  }

  /// Reads once from the socket.
  func receive(into bytes: inout MutableRawSpan) throws(SocketError) -> Transfer {
    try receiveOnce(room: bytes.byteCount) { socket throws(Errno) in
      try socket.receive(into: &bytes)
    }
  }

  /// Reads once in the way of `body`, which has room for so many bytes.
  func receiveOnce(
    room: Int, _ body: (borrowing Descriptor) throws(Errno) -> Transfer
  ) throws(SocketError) -> Transfer {
    guard mayRead else { return .wouldBlock }
    let transfer: Transfer
    do {
      transfer = try withSocket(body)
    } catch {
      throw .reset(error)
    }
    note(transfer, room: room)
    return transfer
  }

  private func note(_ transfer: Transfer, room: Int) {
    switch transfer {
    // A short read has emptied a TCP socket (epoll(7)), unless its end is near. A unix socket stops
    // short behind a message that carried a descriptor.
    case .moved(let count): mayRead = count == room || endIsNear || isUnix
    case .wouldBlock: mayRead = false
    case .ended: break
    }
  }

  // MARK: Writing

  /// Writes what there is room for of `bytes`, which must not be empty.
  package func write(_ bytes: RawSpan) throws(SocketError) -> Transfer {
    if let writeFailure { throw writeFailure }
    guard isOpen, !isShutDown else { throw .closed }
    let transfer =
      if let security {
        try write(bytes, through: security)
      } else {
        try send(bytes)
      }
    if case .moved(let count) = transfer { sent += UInt64(count) }
    return transfer
  }

  /// Writes once to the socket.
  func send(_ bytes: RawSpan) throws(SocketError) -> Transfer {
    try sendOnce { socket throws(Errno) in try socket.send(bytes) }
  }

  /// Writes once in the way of `body`. After a failure what the peer sent before is still to be
  /// read.
  func sendOnce(
    _ body: (borrowing Descriptor) throws(Errno) -> Transfer
  ) throws(SocketError) -> Transfer {
    guard mayWrite else { return .wouldBlock }
    do {
      let transfer = try withSocket(body)
      if transfer == .wouldBlock {
        mayWrite = false
        try watchRoom()
      }
      return transfer
    } catch {
      throw failedToWrite(error)
    }
  }

  /// Takes in that a write to the socket has failed, here or by somebody else who used the socket
  /// meanwhile. The kernel tells of a reset once: a read may see a plain end after that.
  @discardableResult
  package func failedToWrite(_ error: Errno) -> SocketError {
    mayRead = true
    let failure = SocketError.reset(error)
    writeFailure = failure
    return failure
  }

  private func watchRoom() throws(Errno) {
    guard !watchesRoom else { return }
    try withSocket { socket throws(Errno) in
      try home.loop.modify(registration, socket, for: EventLoop.everyChange)
    }
    watchesRoom = true
  }

  /// Ends the stream to the peer after everything written so far; reading goes on.
  package func endOutput() throws(SocketError) {
    if let writeFailure { throw writeFailure }
    guard isOpen, !isShutDown else { return }
    isShutDown = true
    security?.engine.endOutput()
    flush()
    if security?.output.isEmpty ?? true { shutDown() }
  }

  func shutDown() {
    guard !streamIsEnded else { return }
    streamIsEnded = true
    // Refused only by a connection that is over, which reading tells.
    try? withSocket { socket throws(Errno) in try socket.shutdownWrite() }
  }

  /// Nothing can be read or written any more.
  func fail(_ error: SocketError) {
    readEnd = .failed(error)
    writeFailure = error
  }

  // MARK: The socket

  /// Calls `body` with the socket, which is there until the transport is closed.
  package func withSocket<Value, Failure: Error>(
    _ body: (borrowing Descriptor) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    switch socket {
    case .some(let socket): return try body(socket)
    case .none: preconditionFailure("a transport that is closed is used")
    }
  }

  /// The socket's own address; nil when it is closed.
  package var localAddress: SocketAddress? {
    switch socket {
    case .some(let socket): try? socket.localAddress()
    case .none: nil
    }
  }

  var isUnix: Bool {
    switch peerAddress {
    case .unix: true
    case .ip: false
    }
  }

  /// Takes the socket out of the loop, to close it.
  func takeSocket() -> Descriptor? {
    if let timer = timer.take() { home.loop.cancel(timer) }
    home.loop.forget(registration)
    phase = .closed
    security = nil
    return socket.take()
  }

  /// Gives the connection up: the peer sees a reset, and nobody is called any more.
  package func abort() {
    takeSocket()?.reset()
  }
}
