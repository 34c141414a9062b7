internal import Kernel
internal import Names
internal import Reactor

/// What a dialer dials for, and whom it tells.
protocol DialingFlow: AnyObject {
  var number: UInt64 { get }
  var tunnel: ActiveTunnel { get }
  var home: RelayLoop { get }
  /// A target was reached; `readiness` is what its socket was ready for then.
  func connected(_ endpoint: consuming Endpoint, _ readiness: Readiness)
  /// No target could be reached.
  func unreachable(_ failure: ConnectFailure)
}

/// Reaches the first of a tunnel's targets that answers, within one limit of time for all of them.
///
/// 1. Targets are tried in order; each gets an equal part of the time that is left.
/// 2. A numeric target is one attempt. A name is a race of its addresses (RFC 8305).
/// 3. The first connection goes to the flow. When no target is left, the last failure does.
final class Dialer: TimerHandler {
  private unowned let flow: any DialingFlow
  private let home: RelayLoop
  private let deadline: Instant
  private var index = 0
  private var targetDeadline = Instant.never
  private var attempts: [DialAttempt] = []
  private var race: ConnectionRace?
  private var pending: [ConnectionRace.Action] = []
  private var isPerforming = false
  private var question: (any NameQuestion)?
  private var timer: TimerToken?
  private var lastFailure = ConnectFailure.timedOut
  /// The port of the name that is raced for.
  private var port: UInt16 = 0

  init(_ flow: any DialingFlow) {
    self.flow = flow
    home = flow.home
    deadline = home.loop.now + flow.tunnel.settings.connectTimeout
  }

  /// Begins; the flow is called when it is over, perhaps before this returns.
  func start() {
    dialTarget()
  }

  /// Gives up without telling anybody.
  func abandon(withReset reset: Bool = false) {
    clear(withReset: reset)
    race = nil
  }

  /// The attempt that began last, for tests.
  var latestAttempt: DialAttempt? { attempts.last }

  // MARK: Targets

  private var targets: [RelayTarget] { flow.tunnel.targets }

  private func dialTarget() {
    let now = home.loop.now
    targetDeadline = now + (deadline - now) / (targets.count - index)
    switch targets[index] {
    case .address(let address):
      setTimer(targetDeadline)
      begin(0, address)
    case .name(let host, let port):
      resolve(host, port: port)
    }
  }

  private func dialNextTarget(after failure: ConnectFailure) {
    clear()
    race = nil
    lastFailure = failure
    index += 1
    if index < targets.count, home.loop.now < deadline {
      dialTarget()
    } else {
      flow.unreachable(lastFailure)
    }
  }

  private func clear(withReset reset: Bool = false) {
    if let timer = timer.take() { home.loop.cancel(timer) }
    question?.cancel()
    question = nil
    pending = []
    for attempt in attempts { attempt.abandon(withReset: reset) }
    attempts = []
  }

  private func setTimer(_ deadline: Instant) {
    if let timer = timer.take() { home.loop.cancel(timer) }
    timer = home.loop.setTimer(at: deadline, self)
  }

  func timerFired(tag: UInt32) {
    timer = nil
    if race == nil {
      dialNextTarget(after: .timedOut)
    } else {
      perform { race, now in race.woke(now) }
    }
  }

  // MARK: Attempts

  private func begin(_ number: UInt32, _ address: SocketAddress) {
    tell(.connecting(tunnel: flow.tunnel.name, number: flow.number, target: address))
    let attempt = DialAttempt(
      number, to: address, from: flow.tunnel.source, for: self, home: home)
    attempts.append(attempt)
    do {
      try attempt.begin()
    } catch {
      failed(attempt, error)
    }
  }

  /// An attempt has connected.
  func connected(_ attempt: DialAttempt) {
    if attempt.isToItself {
      attempt.abandon()
      failed(attempt, .connectionRefused)
    } else if race == nil {
      win(attempt.number)
    } else {
      perform { race, now in race.connected(attempt.number, now) }
    }
  }

  /// An attempt has failed, and its socket is closed.
  func failed(_ attempt: DialAttempt, _ error: Errno) {
    attempts.removeAll { $0 === attempt }
    tell(
      .refused(
        tunnel: flow.tunnel.name, number: flow.number, target: attempt.address, error: error))
    if race == nil {
      dialNextTarget(after: .system(error))
    } else {
      perform { race, now in race.failed(attempt.number, error, now) }
    }
  }

  private func win(_ number: UInt32) {
    guard let place = attempts.firstIndex(where: { $0.number == number }) else {
      preconditionFailure("an attempt that is not there has won")
    }
    let winner = attempts.remove(at: place)
    abandon()
    tell(
      .connected(tunnel: flow.tunnel.name, number: flow.number, target: winner.address))
    flow.connected(winner.endpoint(), winner.readiness)
  }

  private func abandonAttempt(_ number: UInt32) {
    guard let place = attempts.firstIndex(where: { $0.number == number }) else { return }
    attempts.remove(at: place).abandon()
  }

  private func tell(_ event: @autoclosure () -> FlowEvent) {
    if home.wantsEvents { home.observer.happened(event()) }
  }

  // MARK: Names

  private func resolve(_ host: String, port: UInt16) {
    let names: any NameSource
    do {
      names = try home.names()
    } catch {
      return dialNextTarget(after: .nameNotFound("\(host): \(error)"))
    }
    race = ConnectionRace(deadline: targetDeadline)
    self.port = port
    perform { race, now in race.begin(now) }
    let asked = index
    let question = names.ask(host) { [weak self] answer in
      guard let self, self.race != nil, self.index == asked else { return }
      self.perform { race, now in race.answered(answer, now) }
    }
    // The answers may have come, and the race may be over, before this line.
    if race != nil, index == asked { self.question = question }
  }

  private func perform(_ input: (inout ConnectionRace, Instant) -> [ConnectionRace.Action]) {
    guard var current = race else { return }
    pending += input(&current, home.loop.now)
    race = current
    // An attempt may fail at once, and what follows from that comes after what is still to do.
    guard !isPerforming else { return }
    isPerforming = true
    defer { isPerforming = false }
    while !pending.isEmpty { perform(pending.removeFirst()) }
  }

  private func perform(_ action: ConnectionRace.Action) {
    switch action {
    case .attempt(let number, let address): begin(number, .ip(address, port: port))
    case .abandon(let number): abandonAttempt(number)
    case .wake(let time): setTimer(time)
    case .won(let number): win(number)
    case .lost(let failure): lose(failure)
    }
  }

  private func lose(_ failure: RaceFailure) {
    guard case .name(let host, _) = targets[index] else { return }
    // Its addresses led nowhere: the next flow asks anew.
    if let names = try? home.names() { names.forget(host) }
    switch failure {
    case .refused: dialNextTarget(after: .system(.connectionRefused))
    case .connect(let error): dialNextTarget(after: .system(error))
    case .timedOutConnecting: dialNextTarget(after: .timedOut)
    case .resolution, .timedOutResolving:
      dialNextTarget(after: .nameNotFound("\(host): \(failure)"))
    }
  }
}
