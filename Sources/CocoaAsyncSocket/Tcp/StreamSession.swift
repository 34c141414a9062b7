internal import Foundation
internal import Kernel
internal import Reactor
internal import Sockets
internal import TLS

/// One connection of a `GCDAsyncSocket`, from the wish to connect to its end.
///
/// 1. Any thread puts commands into the inbox; the first wakes the loop, which takes them all.
///    While the connection is quiet, reads wait there for the peer, and a write is made by the
///    thread that wants it (`StreamSession+Quiet.swift`).
/// 2. Commands and the transport's events change the queues; then `goOn` writes, reads, and looks
///    whether that is the end.
/// 3. What the delegate is to hear goes through the socket, which knows delegate and queue.
/// 4. At the end the socket hears of it, everything is dropped, and the transport closes by itself.
///
/// Guard of the `@unchecked`: all but the inbox is used on the loop's thread.
final class StreamSession: @unchecked Sendable {
  // Constant.
  let home: SocketLoop
  let generation: UInt64

  // Any thread.
  let inbox = Lock(SessionInbox())

  // On the loop's thread.
  private(set) weak var socket: GCDAsyncSocket?
  /// Holds the socket that is to close after its last write although nobody else holds it.
  private var keeper: GCDAsyncSocket?
  private var connector: Connector?
  var transport: Transport?
  private(set) var hasEnded = false
  var rules = EndRules()

  var reads = ReadQueue()
  var reading = DirectionState()
  var readFailure: SocketError?
  private var hasToldEndOfStream = false

  var writes = WriteQueue()
  var writing = DirectionState()
  var writeFailure: SocketError?
  /// More bytes wait than the high-water mark, or did until fewer than half of that wait.
  var isAboveMark = false
  var lastReadTimer: TimerToken?

  var handshakes = EntryQueue<HandshakePlan>()
  var isHandshaking = false
  /// Whose word is taken in the handshake.
  var anchors = TrustAnchors.system
  var isSoon = false

  enum Tag {
    static let read: UInt32 = 1
    static let write: UInt32 = 2
    static let lastRead: UInt32 = 3
  }

  init(_ socket: GCDAsyncSocket, generation: UInt64, on home: SocketLoop) {
    self.socket = socket
    self.generation = generation
    self.home = home
  }

  // MARK: Any thread

  /// Puts a command in.
  func send(_ command: SessionCommand) {
    let mustWake = inbox.withLock { inbox in
      if case .write(let operation) = command { inbox.bufferedBytes += operation.left }
      inbox.commands.append(command)
      guard !inbox.isAwaited, !(inbox.isQuiet && command.canWait) else { return false }
      inbox.isAwaited = true
      return true
    }
    if mustWake { wake() }
  }

  /// Puts the first command in; the loop takes it, and what is put in behind it, after `wake`.
  func hold(_ command: SessionCommand) {
    inbox.withLock { inbox in
      inbox.commands.append(command)
      inbox.isAwaited = true
    }
  }

  /// Has the loop take the commands.
  func wake() {
    home.loop.post {
      self.takeCommands()
      self.goOn()
    }
  }

  /// Bytes of writes that the connection has not taken.
  var bufferedBytes: Int { inbox.withLock { $0.bufferedBytes } }

  // MARK: Commands

  /// Everything that happens on the loop begins here: nobody else uses the socket from now on.
  func takeCommands() {
    let (commands, writeError) = inbox.withLock { inbox in
      inbox.isQuiet = false
      inbox.isAwaited = false
      defer { inbox.commands = [] }
      return (inbox.commands, inbox.writeError.take())
    }
    if let writeError, let transport { writeFailed(transport.failedToWrite(writeError)) }
    for command in commands { perform(command) }
  }

  private func perform(_ command: SessionCommand) {
    switch command {
    case .connect(let request): connect(request)
    case .adopt(let number, let peer): adopt(number, peer)
    case .read(let operation):
      guard !hasEnded, !rules.isEnding else { return }
      reads.append(.operation(operation))
    case .write(let operation):
      guard !hasEnded, !rules.isEnding else { return forget(operation.left) }
      append(operation)
    case .startTLS(let plan):
      guard !hasEnded, !rules.isEnding else { return }
      handshakes.append(plan)
      reads.append(.secure)
      writes.append(.secure)
    case .fail(let error): end(error)
    case .endAfter(let reading, let writing, let socket):
      rules.endsAfterReading = rules.endsAfterReading || reading
      rules.endsAfterWriting = rules.endsAfterWriting || writing
      keeper = hasEnded ? nil : socket
    case .extendRead(let number, let seconds): extendRead(number, seconds)
    case .extendWrite(let number, let seconds): extendWrite(number, seconds)
    case .decide(let isTrusted): if !hasEnded { transport?.decide(isTrusted: isTrusted) }
    case .disconnect(let socket):
      // What was to be written before is written, as far as there is room.
      if !hasEnded { writeOn() }
      close(telling: socket, patience: StreamSession.patienceAtDisconnect)
    case .abort(let socket): abort(telling: socket)
    case .abandon: close(telling: nil, patience: nil)
    }
  }

  // MARK: The beginning

  private func connect(_ request: ConnectRequest) {
    guard !hasEnded else { return }
    let connector = Connector(request, on: home) { [weak self] result in
      guard let self, !self.hasEnded else { return }
      self.takeCommands()
      guard !self.hasEnded else { return }
      self.connector = nil
      switch result {
      case .success(let transport): self.open(transport, isConnected: true)
      case .failure(let error): self.end(error)
      }
      self.goOn()
    }
    self.connector = connector
    connector.start()
  }

  private func adopt(_ number: Int32, _ peer: SocketAddress) {
    let descriptor = Descriptor(adopting: number)
    guard !hasEnded else { return }
    do {
      open(try Transport(descriptor, peer: peer, on: home), isConnected: false)
    } catch {
      end(error)
    }
  }

  private func open(_ transport: Transport, isConnected: Bool) {
    self.transport = transport
    transport.owner = self
    let local = transport.localAddress
    guard let socket, socket.opened(self, remote: transport.peerAddress, local: local) else {
      return
    }
    guard isConnected else { return }
    switch transport.peerAddress {
    case .ip(let address, let port):
      tell { delegate, socket in
        delegate.socket(socket, didConnectToHost: "\(address)", port: port)
      }
    case .unix(let name):
      let url = name.url
      tell { delegate, socket in delegate.socket(socket, didConnectTo: url) }
    }
  }

  /// Queues a call to the delegate that is for this connection only.
  func tell(_ call: @escaping (any GCDAsyncSocketDelegate, GCDAsyncSocket) -> Void) {
    socket?.tell(generation, home.loop, call)
  }

  // MARK: Going on

  /// Does what can be done: called after everything that may have changed something.
  func goOn() {
    guard !hasEnded, transport != nil else { return }
    writeOn()
    readOn()
    if hasEnded { return }
    if reads.isAtSecure, writes.isAtSecure, !isHandshaking { beginTLS() }
    settle()
  }

  private func settle() {
    guard !hasEnded else { return }
    let verdict = rules.verdict(
      reads: reads.isIdle ? .idle : .busy, writes: writes.isIdle ? .idle : .busy,
      keptBytes: reads.keptCount)
    switch verdict {
    case .goOn: keepQuiet()
    case .done: end(nil)
    case .peerClosed: end(readFailure ?? .endOfStream(received: 0))
    case .writeFailed: end(writeFailure)
    }
  }

  /// The peer has ended its stream, or broken the connection.
  func peerEnded(_ failure: SocketError?) {
    rules.peerHasEnded = true
    readFailure = failure
    guard let socket else { return }
    rules.allowsHalfClose = failure == nil && !socket.options.disconnectsOnEndOfStream
    if failure != nil {
      // Nobody is there any more who would read.
      forgetWrites()
    } else if rules.allowsHalfClose, !hasToldEndOfStream {
      hasToldEndOfStream = true
      guard !noteBreak() else { return }
      tell { delegate, socket in delegate.socketDidCloseReadStream(socket) }
    }
  }

  /// Looks whether a half-closed connection has broken: reading tells only of its end.
  func noteBreak() -> Bool {
    guard let transport, transport.isOpen else { return false }
    let pending = transport.withSocket { socket in (try? socket.takeError()) ?? nil }
    guard let error = pending else { return false }
    peerEnded(.reset(error))
    return true
  }

  // MARK: The end

  /// How long the end waits for the peer to acknowledge what was written, while nothing moves,
  /// before the delegate hears of it and the kernel goes on alone: for one who wants to be rid of
  /// the connection, and for one whose connection has failed. Who ends after the last write waits
  /// as long as the transport does.
  private static let patienceAtDisconnect = Duration.seconds(1)
  private static let patienceAfterError = Duration.milliseconds(200)

  /// Ends the connection by itself: the socket is told, unless it has let go of it before.
  func end(_ error: SocketError?) {
    guard !hasEnded, let socket, socket.ended(self, error?.forDelegate) else { return }
    close(telling: socket, patience: error == nil ? nil : StreamSession.patienceAfterError)
  }

  private func drop() {
    hasEnded = true
    for timer in [reading.timer, writing.timer, lastReadTimer] {
      if let timer { home.loop.cancel(timer) }
    }
    connector?.cancel()
    connector = nil
    reads.removeAll()
    forgetWrites()
    handshakes = EntryQueue()
    keeper = nil
    transport?.owner = nil
  }

  private func close(telling socket: GCDAsyncSocket?, patience: Duration?) {
    guard !hasEnded else { return }
    drop()
    let (generation, loop) = (self.generation, home.loop)
    // Told when the descriptor is closed.
    let told = { if let socket { socket.tellEnd(of: generation, loop) } }
    guard let transport = transport.take() else { return told() }
    transport.close(patience: patience, completion: told)
  }

  private func abort(telling socket: GCDAsyncSocket) {
    guard !hasEnded else { return }
    drop()
    transport.take()?.abort()
    socket.tellEnd(of: generation, home.loop)
  }
}

/// What stands beside one direction's queue.
struct DirectionState {
  /// The limit of time of the current operation.
  var timer: TimerToken?
  /// The operation that the limit was set for.
  var timedNumber: UInt64?
  /// The operation's time so far, with what it got in addition.
  var allowed = Duration.zero
  /// The delegate is asked whether there is more time; nothing moves meanwhile.
  var isPaused = false
  /// Bytes of the current read that the delegate has not been told of.
  var untold = 0
  /// Bytes of the current write that the delegate was told of.
  var told = 0
}

extension StreamSession: TransportOwner, EventHandler {
  func transportIsReadable() {
    takeCommands()
    if rules.peerHasEnded, rules.allowsHalfClose { _ = noteBreak() }
    goOn()
  }

  func transportIsWritable() {
    takeCommands()
    goOn()
  }

  /// Goes on with what others got their turn before.
  func handle(_ readiness: Readiness, tag: UInt32) {
    isSoon = false
    takeCommands()
    goOn()
  }

  /// Lets others on the loop have their turn.
  func goOnSoon() {
    guard !isSoon else { return }
    isSoon = true
    home.loop.callSoon(self, tag: 0)
  }
}
