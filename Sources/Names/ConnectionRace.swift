public import Kernel

/// Connecting to one name by RFC 8305: addresses of both families, in turn, a little apart, and the
/// first connection wins.
///
/// 1. The answers of the two families come in separately. IPv6's begins the race at once; IPv4's
///    waits `resolutionDelay` for it.
/// 2. Attempts begin `attemptDelay` apart, and at once when one has failed. Addresses that come
///    late take their family's turn among those still waiting.
/// 3. The first connection abandons the others. The race is lost when every address has failed and
///    both answers are in, or at the deadline.
///
/// A pure machine: whoever owns it performs the actions in their order. There is one wake-up at a
/// time: each `.wake` takes the place of the one before, and being woken early does no harm.
public struct ConnectionRace: Sendable {
  /// The waits and limits of a race.
  public struct Settings: Hashable, Sendable {
    /// The family that goes first: IPv6, unless its owner knows better (RFC 8305 §3).
    public var preferred = AddressFamily.v6
    /// How long addresses of the other family wait for those of the preferred one (RFC 8305 §3).
    public var resolutionDelay = Duration.milliseconds(50)
    /// The time between the beginnings of two attempts (RFC 8305 §5).
    public var attemptDelay = Duration.milliseconds(250)
    /// Addresses tried of each family: a hostile answer must not make one flow open hundreds.
    public var addressesPerFamily = 16

    /// The waits that RFC 8305 recommends.
    public init() {}
  }

  /// What the owner does.
  public enum Action: Hashable, Sendable {
    /// Begin to connect; `connected` or `failed` is called with the number afterwards.
    case attempt(UInt32, IPAddress)
    /// Give an attempt up: nothing more is said about it.
    case abandon(UInt32)
    /// Call `woke` at that time; it replaces the time said before.
    case wake(at: Instant)
    /// The attempt has won, the others have been abandoned. The race is over.
    case won(UInt32)
    /// The race is over without a connection.
    case lost(RaceFailure)
  }

  private enum State {
    /// `begin` was not called yet.
    case waiting
    /// No address that may be tried is known.
    case resolving
    /// Addresses of IPv4 are known, those of IPv6 have until then.
    case delaying(until: Instant)
    /// Attempts have begun; the next may begin then.
    case racing(next: Instant)
    case over
  }

  private let settings: Settings
  private let deadline: Instant
  private var state = State.waiting
  private var queue: RaceQueue
  private var isAnswered = FamilyPair(repeating: false)
  private var running: [UInt32] = []
  private var attempts: UInt32 = 0
  private var losses = RaceLosses()
  private var wakeTime: Instant?

  /// Makes a race for a name; `answered` is to be called once for each family.
  public init(deadline: Instant, settings: Settings = Settings()) {
    self.settings = settings
    self.deadline = deadline
    queue = RaceQueue(limit: settings.addressesPerFamily, first: settings.preferred)
  }

  /// Makes a race for one address, about which no name is asked.
  public init(to address: IPAddress, deadline: Instant, settings: Settings = Settings()) {
    self.init(deadline: deadline, settings: settings)
    queue.add([address])
    isAnswered = FamilyPair(repeating: true)
  }

  /// True when the race was won, lost or cancelled.
  public var isOver: Bool {
    switch state {
    case .over: true
    case .waiting, .resolving, .delaying, .racing: false
    }
  }
}

// MARK: What happens

extension ConnectionRace {
  /// Begins; answers that came before are taken into account.
  public mutating func begin(_ now: Instant) -> [Action] {
    switch state {
    case .waiting:
      state = .resolving
      return advance(now)
    case .resolving, .delaying, .racing, .over: return []
    }
  }

  /// A family's answer has come. A second one for a family adds its addresses.
  public mutating func answered(_ answer: FamilyAnswer, _ now: Instant) -> [Action] {
    switch state {
    case .over: return []
    case .waiting, .resolving, .delaying, .racing:
      isAnswered[answer.family] = true
      queue.add(answer.addresses)
      if let failure = answer.failure { losses.note(failure) }
      return advance(now)
    }
  }

  /// An attempt has connected.
  public mutating func connected(_ attempt: UInt32, _ now: Instant) -> [Action] {
    guard end(attempt) else { return [] }
    let others = abandonAll()
    return others + [.won(attempt)]
  }

  /// An attempt has failed; the next begins at once.
  public mutating func failed(_ attempt: UInt32, _ error: Errno, _ now: Instant) -> [Action] {
    guard end(attempt) else { return [] }
    losses.note(error)
    state = .racing(next: now)
    return advance(now)
  }

  /// The time of the last `.wake` has come.
  public mutating func woke(_ now: Instant) -> [Action] {
    wakeTime = nil
    return advance(now)
  }

  /// Nobody wants the connection any more: every attempt is abandoned and nothing is reported.
  public mutating func cancel() -> [Action] {
    abandonAll()
  }
}

// MARK: What follows

extension ConnectionRace {
  private mutating func advance(_ now: Instant) -> [Action] {
    switch state {
    case .waiting, .over: return []
    case .resolving, .delaying, .racing: break
    }
    if now >= deadline { return lose(lateFailure) }
    var actions: [Action] = []
    if mayAttempt(now), let address = queue.next() {
      state = .racing(next: now + settings.attemptDelay)
      running.append(attempts)
      actions.append(.attempt(attempts, address))
      attempts += 1
    }
    if running.isEmpty, queue.isEmpty, isAnswered.v6, isAnswered.v4 { return lose(losses.total) }
    let time = nextWakeTime
    if time != wakeTime {
      wakeTime = time
      actions.append(.wake(at: time))
    }
    return actions
  }

  /// Whether an attempt may begin now; moves to `delaying` when IPv4 has to wait for IPv6.
  private mutating func mayAttempt(_ now: Instant) -> Bool {
    switch state {
    case .waiting, .over: return false
    case .resolving:
      if queue.has(settings.preferred) || isAnswered[settings.preferred] { return true }
      if queue.has(settings.preferred.other) {
        state = .delaying(until: now + settings.resolutionDelay)
      }
      return false
    case .delaying(let until): return isAnswered[settings.preferred] || now >= until
    case .racing(let next): return running.isEmpty || now >= next
    }
  }

  private var nextWakeTime: Instant {
    switch state {
    case .waiting, .resolving, .over: deadline
    case .delaying(let until): min(until, deadline)
    case .racing(let next): queue.isEmpty ? deadline : min(next, deadline)
    }
  }

  private var lateFailure: RaceFailure {
    attempts == 0 ? .timedOutResolving : .timedOutConnecting(last: losses.error)
  }

  /// Takes an attempt off those that run; false for one that has ended or was abandoned.
  private mutating func end(_ attempt: UInt32) -> Bool {
    guard let index = running.firstIndex(of: attempt) else { return false }
    running.remove(at: index)
    return true
  }

  private mutating func lose(_ failure: RaceFailure) -> [Action] {
    let abandoned = abandonAll()
    return abandoned + [.lost(failure)]
  }

  private mutating func abandonAll() -> [Action] {
    defer { running = [] }
    state = .over
    return running.map { .abandon($0) }
  }
}
