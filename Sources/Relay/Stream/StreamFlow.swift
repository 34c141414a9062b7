internal import Kernel
internal import Reactor

/// One relayed connection: does what `StreamRelayMachine` decides.
///
/// From a byte in one socket to the other:
///
/// 1. the loop reports readiness; `handle` notes it in the machine;
/// 2. `pump` asks the machine for the next step until it says to wait;
/// 3. a read takes what is there into a buffer or, in bulk, a pipe (`StreamFlow+Transfer.swift`);
/// 4. the write that follows empties it, and the buffer or pipe goes back to the pool;
/// 5. where the sink takes less, the rest waits in the buffer or pipe and nothing more is read: the
///    source's peer is stopped by TCP itself;
/// 6. when the machine says so, both sockets are closed (`StreamFlow+Closing.swift`).
final class StreamFlow: EventHandler, TimerHandler, DialingFlow {
  // Constant.
  let number: UInt64
  let tunnel: ActiveTunnel
  let home: RelayLoop
  let started: Instant
  let listener: SocketAddress?

  // On the loop's thread.
  var machine: StreamRelayMachine
  var client: Endpoint
  var target: Endpoint
  var upward = Carrier()
  var downward = Carrier()
  var dialer: Dialer?
  /// Where the flow stands in its loop's list; kept by `RelayLoop`.
  var place = 0
  var lastActivity: Instant
  var patienceTimer: TimerToken?
  var timedPatience = StreamRelayMachine.Patience.open
  var askTimer: TimerToken?
  var askDelay = StreamFlow.firstAskDelay
  var lastUnacknowledged = 0
  var userTimeoutTimer: TimerToken?
  var isClosed = false
  /// The turn was used up: the flow is called again after the others, and not before.
  private var isResuming = false
  /// Connected, and without the options that only matter to a connection that lasts.
  var awaitsSettling = false

  /// Tags of the flow's events and timers.
  enum Tag {
    static let client: UInt32 = 0
    static let target: UInt32 = 1
    static let resume: UInt32 = 2
    static let patience: UInt32 = 3
    static let ask: UInt32 = 4
    static let userTimeout: UInt32 = 5
  }

  /// Steps after which the other flows of the loop get their turn: 16 pipes filled and emptied.
  static let stepsPerTurn = 32
  /// Delays between questions whether the last bytes have been acknowledged: doubled each time.
  static let firstAskDelay = Duration.milliseconds(1)
  static let longestAskDelay = (
    delivering: Duration.milliseconds(100), settling: Duration.seconds(1)
  )
  /// The peers' windows are looked at no more often than this.
  static let shortestUserTimeoutCheck = Duration.milliseconds(100)

  init(
    number: UInt64, tunnel: ActiveTunnel, home: RelayLoop, client: SocketAddress,
    listener: SocketAddress?
  ) {
    self.number = number
    self.tunnel = tunnel
    self.home = home
    self.listener = listener
    self.client = Endpoint(peer: client)
    target = Endpoint()
    started = home.loop.now
    lastActivity = home.loop.now
    machine = StreamRelayMachine(passesHalfClose: tunnel.settings.passesHalfClose)
  }

  // MARK: Events

  func handle(_ readiness: Readiness, tag: UInt32) {
    guard !isClosed else { return }
    switch tag {
    case Tag.client: note(readiness, of: .client)
    case Tag.target: note(readiness, of: .target)
    default: break
    }
    if dialer != nil {
      // A unix client that has sent and closed hangs up too: its bytes are still to be carried. So
      // are those that came before a reset.
      if readiness.contains(.error), !clientHasSent {
        close(.init(resetClient: true), because: .clientLeft)
      }
    } else if tag == Tag.resume || !isResuming {
      isResuming = false
      pump()
    }
  }

  private var clientHasSent: Bool {
    client.withSocket { socket in
      home.withScratch { chunk in
        if case .moved = try? home.system.peek(socket, into: chunk) { return true }
        return false
      }
    }
  }

  private func note(_ readiness: Readiness, of side: Side) {
    if !readiness.isDisjoint(with: [.peerEnded, .hungUp, .error, .urgent]) {
      switch side {
      case .client: client.endIsNear = true
      case .target: target.endIsNear = true
      }
      if readiness.contains(.urgent) { copyOnly(from: side) }
    }
    if home.wantsEvents { tell(readiness, of: side) }
    machine.ready(side, readiness)
  }

  /// Does what can be done now.
  func pump() {
    var steps = 0
    while steps < StreamFlow.stepsPerTurn {
      switch machine.nextStep() {
      case .read(let side): read(from: side)
      case .write(let side): write(to: side)
      case .discard(let side): discard(from: side)
      case .shutDown(let side): shutDown(side)
      case .askUnacknowledged(let side): if !askUnacknowledged(side) { return }
      case .wait: return keepTime()
      case .close(let ending): return close(ending, because: nil)
      }
      steps += 1
    }
    isResuming = true
    home.loop.callSoon(self, tag: Tag.resume)
    keepTime()
  }

  // MARK: Connecting

  /// Watches the client's socket and goes for the target. The client's bytes wait in the kernel.
  func begin(_ socket: consuming Descriptor) {
    do {
      let registration = try home.loop.watch(
        socket, self, tag: Tag.client, for: EventLoop.everyChangeButRoom)
      client.open(socket, registration)
    } catch {
      home.system.reset(socket)
      return close(.init(), because: .noResources(error))
    }
    let dialer = Dialer(self)
    self.dialer = dialer
    dialer.start()
  }

  /// A target was reached; `readiness` is what its socket was ready for then.
  func connected(_ endpoint: consuming Endpoint, _ readiness: Readiness) {
    dialer = nil
    target = endpoint
    home.loop.hand(target.registration, to: self, tag: Tag.target)
    awaitsSettling = true
    setUserTimeout()
    home.flowConnected(self)
    note(readiness, of: .target)
    pump()
  }

  /// No target could be reached.
  func unreachable(_ failure: ConnectFailure) {
    if case .system(let error) = failure, error.isResourceLimit {
      close(.init(resetClient: true), because: .noResources(error))
      // The next connection would fare no better.
      home.pauseAccepting(error)
    } else {
      close(.init(resetClient: true), because: .targetUnreachable(failure))
    }
  }

  /// Sets the options that only matter to a connection that lasts. The client's socket has them
  /// from its listener.
  func settle() {
    awaitsSettling = false
    guard let keepalive = tunnel.settings.keepalive, !target.isUnix else { return }
    target.withSocket { socket in
      // Refused only by a socket that has failed, which the next transfer tells.
      try? home.system.set(socket, keepalive)
    }
  }

  private func setUserTimeout() {
    let limit = tunnel.settings.userTimeout
    guard limit > .zero, !target.isUnix else { return }
    target.withSocket { socket in
      // Refused only by a socket that has failed, which the next transfer tells.
      try? home.system.set(socket, .userTimeout, limit.wholeMilliseconds)
    }
  }

  /// Ends the flow from outside: both sides see a reset.
  func abort(because end: FlowEnd) {
    finish(machine.abort(), because: end)
  }

  // MARK: Time

  func timerFired(tag: UInt32) {
    switch tag {
    case Tag.patience:
      patienceTimer = nil
      patienceIsOver()
    case Tag.userTimeout:
      userTimeoutTimer = nil
      checkUserTimeout()
    default:
      askTimer = nil
      machine.mayAskAgain()
      pump()
    }
  }

  /// Sets, moves or takes back the timer that the machine's patience needs.
  private func keepTime() {
    let patience = machine.patience
    if patienceTimer != nil, patience == timedPatience { return }
    if let timer = patienceTimer.take() { home.loop.cancel(timer) }
    timedPatience = patience
    setPatienceTimer(since: home.loop.now)
  }

  private func setPatienceTimer(since start: Instant) {
    let limit = patienceLimit
    // Zero means no limit for what is alive, and no time for what is being closed.
    let isEnding = timedPatience == .closing || timedPatience == .delivering
    guard limit > .zero || isEnding else { return }
    patienceTimer = home.loop.setTimer(at: start + limit, self, tag: Tag.patience)
  }

  private var patienceLimit: Duration {
    switch timedPatience {
    case .open: tunnel.settings.idle
    case .halfClosed: tunnel.settings.halfClosedIdle
    case .delivering, .closing: tunnel.settings.resetDrain
    }
  }

  private func patienceIsOver() {
    // Every byte restarts the limit; the timer is moved only when it fires.
    if timedPatience != .closing, lastActivity + patienceLimit > home.loop.now {
      return setPatienceTimer(since: lastActivity)
    }
    switch timedPatience {
    case .open: finish(machine.abort(), because: .idle)
    case .halfClosed: finish(machine.abort(), because: .halfClosedIdle)
    case .delivering: finish(machine.deliveryTimedOut(), because: nil)
    case .closing: finish(machine.deliveryTimedOut(), because: .cutOff)
    }
  }

  private func finish(_ step: StreamRelayMachine.Step, because end: FlowEnd?) {
    guard case .close(let ending) = step else { return }
    close(ending, because: end)
  }

  /// Asks how much is unacknowledged. False when the flow was closed or waits for its timer.
  private func askUnacknowledged(_ side: Side) -> Bool {
    let count = unacknowledged(by: side)
    if count < lastUnacknowledged { lastActivity = home.loop.now }
    lastUnacknowledged = count
    switch machine.unacknowledged(by: side, count) {
    case .close(let ending):
      close(ending, because: nil)
      return false
    case .wait:
      // A loss while settling asks anew, before the timer of the last question.
      if let timer = askTimer.take() { home.loop.cancel(timer) }
      askTimer = home.loop.setTimer(at: home.loop.now + askDelay, self, tag: Tag.ask)
      let longest = StreamFlow.longestAskDelay
      askDelay = min(
        askDelay * 2, machine.phase == .settling ? longest.settling : longest.delivering)
      keepTime()
      return false
    case .read, .write, .discard, .shutDown, .askUnacknowledged: return true
    }
  }
}
