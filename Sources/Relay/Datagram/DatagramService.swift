internal import Kernel
internal import Reactor

/// The sessions of one listener on one loop, and the limits they are under.
///
/// A session begins with the first datagram of a client to an address. Where its source, its tunnel
/// or the process has no place for it, the session used longest ago that would give such a place
/// back is ended; where none would, the datagram is dropped. One timer serves all sessions: it is
/// set for the one used longest ago and moved only when it has fired.
final class DatagramService: TimerHandler {
  let home: RelayLoop
  let exchange: DatagramExchange?
  /// What new sessions are given.
  private(set) var tunnel: ActiveDatagramTunnel
  private(set) var isClosing = false
  private let identity: ObjectIdentifier
  private var table: SessionTable<DatagramSession>
  private var listeners: [DatagramListener] = []
  private var idleTimer: TimerToken?
  private var recheckTimer: TimerToken?

  private enum Tag {
    static let idle: UInt32 = 0
    static let recheck: UInt32 = 1
  }

  init(_ identity: ObjectIdentifier, tunnel: ActiveDatagramTunnel, home: RelayLoop) {
    self.identity = identity
    self.tunnel = tunnel
    self.home = home
    exchange = home.exchange()
    table = SessionTable(tracksSources: tunnel.settings.flowsPerSource != nil)
  }

  /// Begins to receive on a socket.
  func add(_ socket: consuming Descriptor, at address: SocketAddress) {
    let listener = DatagramListener(
      socket, at: address, index: listeners.count, service: self)
    listeners.append(listener)
    do throws(Errno) {
      guard exchange != nil else { throw Errno.outOfMemory }
      try listener.open()
    } catch {
      home.observer.warned(.acceptPaused(listener: address, reason: .system(error)))
    }
  }

  /// Gives new sessions another tunnel; the time of silence holds for all at once.
  func serve(_ tunnel: ActiveDatagramTunnel) {
    self.tunnel = tunnel
    if tunnel.settings.flowsPerSource != nil { table.trackSources() }
    resetIdleTimer()
  }

  /// Takes no new client. Sessions go on until they are silent for a moment; then the sockets are
  /// closed, through which alone answers have the address that was asked.
  func close() {
    isClosing = true
    resetIdleTimer()
    closeIfDone()
  }

  func abortAll() {
    for session in table.elements { session.end(because: .stopped) }
  }

  /// All sessions, for counters.
  var sessions: [DatagramSession] { table.elements }
  var sessionCount: Int { table.count }

  // MARK: Sessions

  /// A run of datagrams of one client to one address has come.
  func receive(
    _ slots: Range<Int>, from origin: DatagramOrigin, at listener: DatagramListener,
    _ exchange: DatagramExchange
  ) {
    let key = SessionTable<DatagramSession>.Key(origin: origin, socket: listener.index)
    if let slot = table.slot(of: key) {
      table.use(slot, at: home.loop.now)
      table[slot].send(slots, exchange)
    } else if let session = begin(key, exchange.upward.header(slots.lowerBound), listener) {
      session.send(slots, exchange)
    } else {
      for slot in slots {
        home.counters.datagrams.droppedRefused += UInt64(exchange.upward.extent(slot).datagrams)
      }
    }
  }

  /// A target has answered.
  func use(_ session: DatagramSession) {
    table.use(session.slot, at: home.loop.now)
  }

  private func begin(
    _ key: SessionTable<DatagramSession>.Key, _ header: DatagramHeader,
    _ listener: DatagramListener
  ) -> DatagramSession? {
    guard !isClosing, case .ip(let client, _) = header.source else { return nil }
    let source = DatagramSource(client)
    guard takePlaces(of: source) else { return nil }
    let session = DatagramSession(
      number: home.budget.nextNumber(), tunnel: tunnel, listener: listener,
      client: header.source, source: source, asked: header.destination)
    session.slot = table.insert(session, for: key, of: source, at: home.loop.now)
    home.counters.datagrams.sessionsBegun += 1
    if idleTimer == nil { resetIdleTimer() }
    session.begin()
    return session.isOver ? nil : session
  }

  /// A session has closed its socket and was told of.
  func ended(_ session: DatagramSession, _ end: FlowEnd) {
    home.counters.datagrams.sessionsEnded += 1
    if end == .evicted { home.counters.datagrams.sessionsEvicted += 1 }
    let tunnel = session.tunnel
    if tunnel.settings.flowsPerSource != nil { tunnel.sources.give(session.source) }
    tunnel.budget.give()
    home.budget.give()
    closeIfDone()
  }

  /// A session ends: nobody finds it any more.
  func forget(_ session: DatagramSession) {
    table.remove(session.slot)
  }

  private func closeIfDone() {
    guard isClosing, table.count == 0 else { return }
    for listener in listeners { listener.close() }
    if let timer = idleTimer.take() { home.loop.cancel(timer) }
    if let timer = recheckTimer.take() { home.loop.cancel(timer) }
    home.removeService(identity)
  }

  // MARK: Limits

  private func takePlaces(of source: DatagramSource) -> Bool {
    let limit = tunnel.settings.flowsPerSource
    if let limit {
      guard
        makeRoom({ self.tunnel.sources.take(source, limit: limit) }, from: { oldest(of: source) })
      else { return false }
    }
    guard makeRoom({ self.tunnel.budget.take() }, from: { home.oldestSession(of: self.tunnel) })
    else {
      if limit != nil { tunnel.sources.give(source) }
      return false
    }
    guard makeRoom({ home.budget.take() }, from: { home.oldestSession(of: nil) }) else {
      if limit != nil { tunnel.sources.give(source) }
      tunnel.budget.give()
      return false
    }
    return true
  }

  /// Takes a place, after ending a session that gives one back when there is none.
  private func makeRoom(_ take: () -> Bool, from victim: () -> DatagramSession?) -> Bool {
    if take() { return true }
    guard let session = victim() else { return false }
    session.end(because: .evicted)
    return take()
  }

  private func oldest(of source: DatagramSource) -> DatagramSession? {
    table.oldest(of: source).map { table[$0.slot] }
  }

  /// The session used longest ago, and when.
  var oldest: (session: DatagramSession, lastUse: Instant)? {
    table.oldest().map { (table[$0.slot], $0.lastUse) }
  }

  // MARK: Time

  private var idle: Duration {
    let limit = tunnel.settings.idle
    return isClosing ? min(limit, DatagramLimits.closingIdle) : limit
  }

  private func resetIdleTimer() {
    if let timer = idleTimer.take() { home.loop.cancel(timer) }
    guard let oldest = table.oldest() else { return }
    idleTimer = home.loop.setTimer(at: oldest.lastUse + idle, self, tag: Tag.idle)
  }

  /// A session's target has a name, which is looked up again now and then.
  func watchNames() {
    guard recheckTimer == nil else { return }
    recheckTimer = home.loop.setTimer(
      at: home.loop.now + DatagramLimits.recheckInterval, self, tag: Tag.recheck)
  }

  func timerFired(tag: UInt32) {
    if tag == Tag.idle {
      idleTimer = nil
      while let oldest, oldest.lastUse + idle <= home.loop.now {
        oldest.session.end(because: .idle)
      }
      resetIdleTimer()
    } else {
      recheckTimer = nil
      var isNeeded = false
      for session in table.elements where session.targetHasName {
        isNeeded = true
        session.recheck()
      }
      if isNeeded { watchNames() }
    }
  }
}
