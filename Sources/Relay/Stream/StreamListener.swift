internal import Kernel
internal import Reactor

/// One listening socket on one loop.
///
/// At the flow limit, or when the kernel has no descriptor to give, it leaves the poller: nothing
/// spins, clients wait in the kernel's queue, and what runs is untouched. It comes back when a flow
/// has ended, or by a timer for limits that other processes cause.
///
/// Guard of the `@unchecked`: everything but `deinit` happens on the loop's thread.
final class StreamListener: EventHandler, TimerHandler, @unchecked Sendable {
  let home: RelayLoop
  let address: SocketAddress
  /// The address as its clients see it, nil where it stands for many.
  let exactAddress: SocketAddress?
  /// What new flows are given.
  var tunnel: ActiveTunnel
  private let isShared: Bool
  private var socket: Descriptor?
  private var registration: Registration?
  private var burst = 1
  private var lastTurn: UInt64 = 0
  /// When the pause began that was told; nil when accepting goes on or the pause was not told.
  private var toldPause: Instant?
  private var retryTimer: TimerToken?
  private var retryDelay = StreamListener.firstRetryDelay
  private var lastWarning: Instant?

  static let firstRetryDelay = Duration.milliseconds(50)
  static let longestRetryDelay = Duration.seconds(1)
  /// At most one warning in this time.
  static let warningInterval = Duration.seconds(30)

  init(
    _ socket: consuming Descriptor, at address: SocketAddress, isShared: Bool,
    tunnel: ActiveTunnel, home: RelayLoop
  ) {
    self.socket = consume socket
    self.address = address
    self.isShared = isShared
    self.tunnel = tunnel
    self.home = home
    switch address {
    case .ip(let ip, _): exactAddress = ip.isUnspecified ? nil : address
    case .unix: exactAddress = address
    }
  }

  /// Begins to accept, now or as soon as the poller takes one more.
  func open() {
    guard registration == nil, isOpen else { return }
    do {
      registration = try withSocket { socket throws(Errno) in
        // Level-triggered: what a burst leaves behind is reported again.
        try home.loop.watch(socket, self, for: isShared ? [.readable, .exclusive] : [.readable])
      }
    } catch {
      retryLater()
    }
  }

  /// A connection was accepted: whatever paused is over.
  private func goOn() {
    retryDelay = StreamListener.firstRetryDelay
    guard let start = toldPause.take() else { return }
    home.observer.warned(.acceptResumed(listener: address, after: home.loop.now - start))
  }

  private func retryLater() {
    retryTimer = home.loop.setTimer(at: home.loop.now + retryDelay, self)
    retryDelay = min(retryDelay * 2, StreamListener.longestRetryDelay)
  }

  /// Gives new flows another tunnel, under whose limit there may be room.
  func serve(_ tunnel: ActiveTunnel) {
    self.tunnel = tunnel
    open()
  }

  /// Takes what waits in the queue, as far as there is room for it, and closes, which resets the
  /// rest.
  func close() {
    // New connections still come meanwhile, so the queue's length is the bound.
    var left = tunnel.settings.backlog
    while registration != nil, left > 0, takeOne() { left -= 1 }
    // Taking from the queue may have met a limit.
    if let timer = retryTimer.take() { home.loop.cancel(timer) }
    leavePoller()
    socket = nil
  }

  // MARK: Accepting

  func handle(_ readiness: Readiness, tag: UInt32) {
    // Reported again in the very next turn: there is a queue, and bursts grow. Else one is taken,
    // without the call that would find the queue empty.
    burst = home.loop.turns == lastTurn + 1 ? min(burst * 2, home.limits.acceptBurst) : 1
    lastTurn = home.loop.turns
    var taken = 0
    while taken < burst, takeOne() { taken += 1 }
  }

  /// Accepts one connection. False when none waits or accepting pauses.
  private func takeOne() -> Bool {
    guard takePlaces() else { return false }
    do {
      let accepted = try withSocket { socket throws(Errno) in try home.system.accept(socket) }
      guard let accepted = consume accepted else {
        givePlaces()
        return false
      }
      goOn()
      home.begin(accepted, for: tunnel, at: exactAddress)
      return true
    } catch {
      givePlaces()
      return failed(error)
    }
  }

  /// Takes a flow's places in the process and in the tunnel, or pauses until there are some.
  private func takePlaces() -> Bool {
    guard home.budget.take() else { return pauseUntilRoom(in: home.budget) }
    guard tunnel.budget.take() else {
      home.budget.give()
      return pauseUntilRoom(in: tunnel.budget)
    }
    return true
  }

  private func givePlaces() {
    tunnel.budget.give()
    home.budget.give()
  }

  private func pauseUntilRoom(in budget: FlowBudget) -> Bool {
    pause(.flowLimit(budget.capacity))
    budget.waitForRoom { [weak self, loop = home.loop] in
      guard let listener = self else { return }
      loop.post { listener.resume() }
    }
    return false
  }

  /// True when the error was one connection's and accepting goes on.
  private func failed(_ error: Errno) -> Bool {
    if error.isOneConnections {
      home.counters.acceptErrors += 1
      return true
    }
    pauseForRetry(error)
    return false
  }

  /// Pauses for a limit of the system, which passes by itself, or because the socket listens no
  /// more, which somebody who shares it has done.
  func pauseForRetry(_ error: Errno) {
    guard registration != nil else { return }
    pause(.system(error))
    retryLater()
  }

  // MARK: Pausing

  private func pause(_ reason: AcceptPause) {
    guard registration != nil else { return }
    leavePoller()
    home.counters.acceptPauses += 1
    if let last = lastWarning, last + StreamListener.warningInterval > home.loop.now { return }
    lastWarning = home.loop.now
    toldPause = home.loop.now
    home.observer.warned(.acceptPaused(listener: address, reason: reason))
  }

  private func resume() {
    if let timer = retryTimer.take() { home.loop.cancel(timer) }
    open()
  }

  func timerFired(tag: UInt32) {
    retryTimer = nil
    open()
  }

  private func leavePoller() {
    guard let current = registration.take() else { return }
    withSocket { socket in home.loop.unwatch(current, socket) }
  }

  private var isOpen: Bool {
    switch socket {
    case .some: true
    case .none: false
    }
  }

  private func withSocket<Result: ~Copyable, Failure: Error>(
    _ body: (borrowing Descriptor) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    switch socket {
    case .some(let socket): return try body(socket)
    case .none: preconditionFailure("a closed listener is used")
    }
  }
}
