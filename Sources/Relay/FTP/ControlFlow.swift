internal import FTP
internal import Kernel
internal import Reactor

/// The control connection of one FTP session: does what `ControlMachine` decides.
///
/// From a byte in one socket to the other:
///
/// 1. a client was accepted; the target is dialled as for any flow, and the client waits;
/// 2. the loop reports readiness of either side, while data moves too; `pump` reads what is there;
/// 3. the machine makes lines of it and answers with actions (`ControlFlow+Data.swift` has those
///    for data connections); bytes go to the output of a side;
/// 4. the output is written, the client's urgent byte as an urgent byte; where a side reads too
///    slowly, the other is read no more;
/// 5. the end of one side's stream is passed to the other when all before it is written;
/// 6. the loss of a side, or the end of the client without a QUIT, ends the data connections.
final class ControlFlow: EventHandler, TimerHandler, DialingFlow {
  // Constant.
  let number: UInt64
  let tunnel: ActiveTunnel
  let settings: FTPSettings
  let home: RelayLoop
  let started: Instant

  // On the loop's thread.
  var client: Endpoint
  var target = Endpoint()
  /// Our address on each side, once connected.
  var clientLocal: SocketAddress?
  var targetLocal: SocketAddress?
  var clientSide = ControlSide()
  var targetSide = ControlSide()
  var machine: ControlMachine?
  var listener: DataListener?
  var dataFlows: [StreamFlow] = []
  private var dialer: Dialer?
  private var timer: TimerToken?
  private var lastControlActivity: Instant
  private var isClosed = false

  private enum Tag {
    static let client: UInt32 = 0
    static let target: UInt32 = 1
    static let resume: UInt32 = 2
  }

  /// Rounds of reading and writing after which others get their turn.
  private static let roundsPerTurn = 16
  /// Bytes read at once; lines are short.
  private static let readSize = 4_096

  init(
    number: UInt64, tunnel: ActiveTunnel, settings: FTPSettings, home: RelayLoop,
    client: SocketAddress
  ) {
    self.number = number
    self.tunnel = tunnel
    self.settings = settings
    self.home = home
    self.client = Endpoint(peer: client)
    started = home.loop.now
    lastControlActivity = home.loop.now
  }

  // MARK: Connecting

  /// Watches the client's socket and goes for the target.
  func begin(_ socket: consuming Descriptor) {
    do {
      clientLocal = try socket.localAddress().unmapped
      let registration = try home.loop.watch(socket, self, tag: Tag.client)
      client.open(socket, registration)
    } catch {
      home.system.reset(socket)
      return close(because: .noResources(error))
    }
    let dialer = Dialer(self)
    self.dialer = dialer
    dialer.start()
  }

  func connected(_ endpoint: consuming Endpoint, _ readiness: Readiness) {
    dialer = nil
    target = endpoint
    home.loop.hand(target.registration, to: self, tag: Tag.target)
    prepareTarget()
    guard let mine = wireAddress(clientLocal), let theirs = wireAddress(targetLocal) else {
      return close(because: .targetUnreachable(.system(.addressFamilyNotSupported)))
    }
    let policy: ControlMachine.SecurityPolicy = settings.security == .pass ? .pass : .refuse
    machine = ControlMachine(policy: policy, clientSide: mine, serverSide: theirs)
    note(readiness, of: .target)
    pump()
  }

  private func prepareTarget() {
    targetLocal = target.withSocket { socket in
      // Refused only by a socket that has failed, which the next transfer tells.
      try? home.system.set(socket, .noDelay, 1)
      if let keepalive = tunnel.settings.keepalive { try? home.system.set(socket, keepalive) }
      return try? home.system.localAddress(socket).unmapped
    }
  }

  private func wireAddress(_ address: SocketAddress?) -> WireAddress? {
    switch address {
    case .ip(.v4(let bits), _): WireAddress(.v4, IPAddress.v4(bits).description)
    case .ip(.v6(let high, let low, _), _):
      WireAddress(.v6, IPAddress.v6(high, low, scope: 0).description)
    case .unix, nil: nil
    }
  }

  /// No target could be reached: FTP has words for it.
  func unreachable(_ failure: ConnectFailure) {
    dialer = nil
    clientSide.output.append(Array("421 The server cannot be reached.\r\n".utf8))
    _ = try? write(to: .client)
    close(because: .targetUnreachable(failure))
  }

  // MARK: Events

  func handle(_ readiness: Readiness, tag: UInt32) {
    guard !isClosed else { return }
    switch tag {
    case Tag.client: note(readiness, of: .client)
    case Tag.target: note(readiness, of: .target)
    default: break
    }
    if machine != nil {
      pump()
    } else if readiness.contains(.error) {
      close(because: .clientLeft)
    }
  }

  private func note(_ readiness: Readiness, of side: Side) {
    change(side) { state in
      if !readiness.isDisjoint(with: [.readable, .peerEnded, .error, .hungUp, .urgent]) {
        state.mayRead = true
      }
      if !readiness.isDisjoint(with: [.writable, .error, .hungUp]) { state.mayWrite = true }
    }
  }

  private func pump() {
    var rounds = 0
    var side = Side.target
    do {
      var moved = true
      while moved, !isClosed {
        if rounds == ControlFlow.roundsPerTurn {
          home.loop.callSoon(self, tag: Tag.resume)
          break
        }
        rounds += 1
        moved = false
        for next in [Side.target, .client] {
          side = next
          if try read(from: next) { moved = true }
        }
        for next in [Side.target, .client] {
          side = next
          if try write(to: next) { moved = true }
        }
      }
      for next in [Side.target, .client] {
        side = next
        try passEnd(to: next)
      }
    } catch {
      return lost(side)
    }
    if clientSide.isShutDown, targetSide.isShutDown { close(because: .completed) }
    keepTime()
  }

  // MARK: Moving bytes

  private func read(from side: Side) throws(Errno) -> Bool {
    let state = side == .client ? clientSide : targetSide
    let limit = FTPSettings.outputLimit
    guard state.mayRead, !state.hasEnded, clientSide.output.count < limit,
      targetSide.output.count < limit
    else { return false }
    var bytes = [UInt8](repeating: 0, count: ControlFlow.readSize)
    var isUrgent = false
    let transfer = try withSocket(of: side) { socket throws(Errno) in
      isUrgent = try socket.isAtUrgentMark()
      var room = bytes.mutableSpan
      var octets = room.mutableOctets
      guard isUrgent else { return try socket.receive(into: &octets) }
      var one = octets.beginning(1)
      return try socket.receive(into: &one)
    }
    switch transfer {
    case .moved(let count): received(bytes[..<count], from: side, isUrgent: isUrgent)
    case .wouldBlock: change(side) { $0.mayRead = false }
    case .ended: ended(side)
    }
    return transfer != .wouldBlock
  }

  private func received(_ bytes: ArraySlice<UInt8>, from side: Side, isUrgent: Bool) {
    lastControlActivity = home.loop.now
    let before = targetSide.output.count
    switch side {
    case .client: perform(machine?.received(fromClient: bytes) ?? [])
    case .target: perform(machine?.received(fromServer: bytes) ?? [])
    }
    if side == .client, isUrgent {
      targetSide.output.markUrgent(addedSince: before)
    } else {
      targetSide.output.settleUrgent(addedSince: before)
    }
  }

  private func ended(_ side: Side) {
    change(side) { $0.hasEnded = true }
    switch side {
    case .client:
      perform(machine?.clientEnded() ?? [])
      // RFC 959: an unexpected close of the control connection is an abort and a logout.
      if machine?.hasQuit == false { abortData() }
    case .target: perform(machine?.serverEnded() ?? [])
    }
    restartTimer()
  }

  private func write(to side: Side) throws(Errno) -> Bool {
    guard (side == .client ? clientSide : targetSide).mayWrite else { return false }
    var output = ControlOutput()
    change(side) { swap(&output, &$0.output) }
    defer { change(side) { swap(&output, &$0.output) } }
    let transfer = try withSocket(of: side) { socket throws(Errno) in
      try output.write(to: socket)
    }
    if transfer == .wouldBlock { change(side) { $0.mayWrite = false } }
    return transfer != nil && transfer != .wouldBlock
  }

  /// Tells a side that the other's stream is over, when it has had all of it.
  private func passEnd(to side: Side) throws(Errno) {
    guard !isClosed else { return }
    let state = side == .client ? clientSide : targetSide
    let other = side == .client ? targetSide : clientSide
    guard other.hasEnded, !state.isShutDown, state.output.count == 0 else { return }
    change(side) { $0.isShutDown = true }
    try withSocket(of: side) { socket throws(Errno) in try home.system.shutdownWrite(socket) }
  }

  func withSocket<Result>(
    of side: Side, _ body: (borrowing Descriptor) throws(Errno) -> Result
  ) throws(Errno) -> Result {
    switch side {
    case .client: try client.withSocket(body)
    case .target: try target.withSocket(body)
    }
  }

  private func change(_ side: Side, _ body: (inout ControlSide) -> Void) {
    switch side {
    case .client: body(&clientSide)
    case .target: body(&targetSide)
    }
  }

  // MARK: Time

  /// When a byte last moved, on the control connection or a data connection.
  private var lastActivity: Instant {
    dataFlows.reduce(lastControlActivity) { max($0, $1.lastActivity) }
  }

  private var idleLimit: (time: Duration, end: FlowEnd) {
    clientSide.hasEnded || targetSide.hasEnded
      ? (tunnel.settings.halfClosedIdle, .halfClosedIdle) : (tunnel.settings.idle, .idle)
  }

  private func keepTime() {
    guard timer == nil, !isClosed, idleLimit.time > .zero else { return }
    timer = home.loop.setTimer(at: lastActivity + idleLimit.time, self)
  }

  private func restartTimer() {
    if let timer = timer.take() { home.loop.cancel(timer) }
  }

  func timerFired(tag: UInt32) {
    timer = nil
    if lastActivity + idleLimit.time > home.loop.now { return keepTime() }
    close(because: idleLimit.end)
  }

  // MARK: The end

  /// Ends the session from outside: both sides, and those of its data connections, see a reset.
  func abort(because end: FlowEnd) { close(because: end) }

  private func lost(_ side: Side) {
    close(because: side == .client ? .clientReset : .targetReset)
  }

  private func close(because end: FlowEnd) {
    precondition(!isClosed, "a control connection is closed once")
    isClosed = true
    if let timer = timer.take() { home.loop.cancel(timer) }
    dialer?.abandon(withReset: true)
    dialer = nil
    closeListener()
    if end != .completed { abortData() }
    var resets = end != .completed
    if case .targetUnreachable = end { resets = false }
    let record = self.record(end)
    if let socket = client.take() { give(socket, client.registration, withReset: resets) }
    if let socket = target.take() { give(socket, target.registration, withReset: resets) }
    home.controlEnded(self, record, wasReset: resets)
  }

  private func give(
    _ socket: consuming Descriptor, _ registration: Registration, withReset reset: Bool
  ) {
    home.loop.forget(registration)
    if reset { home.system.reset(socket) } else { home.system.close(socket) }
  }

  private func record(_ end: FlowEnd) -> FlowRecord {
    let duration = home.loop.now - started
    let now = WallTime.now()
    return FlowRecord(
      tunnel: tunnel.name, number: number, client: client.peer, listener: clientLocal,
      local: targetLocal, target: target.isOpen ? target.peer : nil,
      started: WallTime(nanoseconds: now.nanoseconds &- duration.wholeNanoseconds),
      duration: duration, bytesUp: targetSide.output.sent, bytesDown: clientSide.output.sent,
      bytesLost: UInt64(targetSide.output.count + clientSide.output.count),
      resetNotExpressible: false, end: end, traffic: .ftp)
  }

  /// Adds what was done so far to a loop's numbers.
  func add(to counters: inout RelayCounters) {
    counters.bytesUp += targetSide.output.sent
    counters.bytesDown += clientSide.output.sent
    guard let tally = machine?.tally else { return }
    counters.ftpRefusals += tally.refusedCommands
    counters.ftpLongLines += tally.longLines
    counters.ftpLostSteps += tally.lostSteps
  }
}
