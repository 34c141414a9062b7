internal import Kernel
internal import Reactor
internal import TLS

/// Who waits for a connection's readiness, and how that ends. Used on the connection's loop only.
///
/// At most one task waits in each direction; the others stand in line before it (`Gate`).
final class ConnectionWaits: TransportOwner, TimerHandler {
  typealias Outcome = Result<Void, SocketError>

  /// A task that waits, and its limit of time.
  private struct Wait {
    var suspension: Suspension<Outcome>?
    var timer: TimerToken?
    var number: UInt64 = 0
    /// Readiness came while nobody waited: a task may be on its way here from a call that told it
    /// to wait, and would wait for a change that has happened.
    var isMissed = false
  }

  let transport: Transport
  private var reading = Wait()
  private var writing = Wait()
  private var handshake: Suspension<Outcome>?
  /// How the handshake has ended before anybody waited for it.
  private var handshakeOutcome: Outcome?
  private var decide: ((PeerTrust) -> Void)?
  private var lastNumber: UInt64 = 0

  enum Direction: UInt32 {
    case reading
    case writing
  }

  init(_ transport: Transport) {
    self.transport = transport
    transport.owner = self
  }

  // MARK: Waiting

  /// The number of the next wait, by which it can be cancelled.
  func nextNumber() -> UInt64 {
    lastNumber += 1
    return lastNumber
  }

  /// Keeps a task until the direction may go on, its time is over, or it is cancelled.
  func wait(
    _ direction: Direction, number: UInt64, until deadline: Instant?,
    _ suspension: Suspension<Outcome>
  ) {
    guard transport.isOpen else { return suspension.resume(returning: .failure(.closed)) }
    let isMissed = direction == .reading ? reading.isMissed : writing.isMissed
    guard !isMissed else {
      forgetMissed(direction)
      return suspension.resume(returning: .success(()))
    }
    let timer = deadline.map { transport.home.loop.setTimer(at: $0, self, tag: direction.rawValue) }
    let wait = Wait(suspension: suspension, timer: timer, number: number)
    switch direction {
    case .reading: reading = wait
    case .writing: writing = wait
    }
  }

  private func forgetMissed(_ direction: Direction) {
    switch direction {
    case .reading: reading.isMissed = false
    case .writing: writing.isMissed = false
    }
  }

  private func ready(_ direction: Direction) {
    switch direction {
    case .reading where reading.suspension == nil: reading.isMissed = true
    case .writing where writing.suspension == nil: writing.isMissed = true
    case .reading, .writing: end(direction, .success(()))
    }
  }

  /// Ends a wait that was cancelled, unless it has ended.
  func cancel(_ direction: Direction, number: UInt64) {
    let current = direction == .reading ? reading : writing
    if current.number == number { end(direction, .failure(.cancelled)) }
  }

  private func end(_ direction: Direction, _ outcome: Outcome) {
    var ended = Wait()
    switch direction {
    case .reading: swap(&ended, &reading)
    case .writing: swap(&ended, &writing)
    }
    if let timer = ended.timer { transport.home.loop.cancel(timer) }
    ended.suspension?.resume(returning: outcome)
  }

  func timerFired(tag: UInt32) {
    switch tag {
    case Direction.reading.rawValue:
      reading.timer = nil
      end(.reading, .failure(.timedOut(.receiving)))
    default:
      writing.timer = nil
      end(.writing, .failure(.timedOut(.sending)))
    }
  }

  /// The connection is closed on this side.
  func close() {
    end(.reading, .failure(.closed))
    end(.writing, .failure(.closed))
    endHandshake(.failure(.closed))
  }

  // MARK: TLS

  /// Before a handshake: who decides whether the peer is trusted.
  func prepareHandshake(decide: ((PeerTrust) -> Void)?) {
    handshakeOutcome = nil
    self.decide = decide
  }

  /// Keeps a task until the handshake is over.
  func waitForHandshake(_ suspension: Suspension<Outcome>) {
    if let outcome = handshakeOutcome {
      suspension.resume(returning: outcome)
    } else {
      handshake = suspension
    }
  }

  private func endHandshake(_ outcome: Outcome) {
    decide = nil
    if let waiting = handshake.take() {
      waiting.resume(returning: outcome)
    } else {
      handshakeOutcome = outcome
    }
  }

  // MARK: The transport

  func transportIsReadable() { ready(.reading) }

  func transportIsWritable() { ready(.writing) }

  func transportIsSecure() { endHandshake(.success(())) }

  func transportAsksTrust(_ peer: PeerTrust) {
    if let decide { decide(peer) } else { transport.decide(isTrusted: false) }
  }

  func transportFailed(_ error: SocketError) {
    endHandshake(.failure(error))
    ready(.reading)
    ready(.writing)
  }
}
