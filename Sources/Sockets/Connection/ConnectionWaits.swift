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
  }

  let transport: Transport
  private var reading = Wait()
  private var writing = Wait()
  private var handshake: Suspension<Outcome>?
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
    let timer = deadline.map { transport.home.loop.setTimer(at: $0, self, tag: direction.rawValue) }
    let wait = Wait(suspension: suspension, timer: timer, number: number)
    switch direction {
    case .reading: reading = wait
    case .writing: writing = wait
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

  /// Keeps a task until the handshake is over.
  func waitForHandshake(
    decide: ((PeerTrust) -> Void)?, _ suspension: Suspension<Outcome>
  ) {
    handshake = suspension
    self.decide = decide
  }

  private func endHandshake(_ outcome: Outcome) {
    decide = nil
    let waiting = handshake.take()
    waiting?.resume(returning: outcome)
  }

  // MARK: The transport

  func transportIsReadable() { end(.reading, .success(())) }

  func transportIsWritable() { end(.writing, .success(())) }

  func transportIsSecure() { endHandshake(.success(())) }

  func transportAsksTrust(_ peer: PeerTrust) {
    if let decide { decide(peer) } else { transport.decide(isTrusted: false) }
  }

  func transportFailed(_ error: SocketError) {
    endHandshake(.failure(error))
    end(.reading, .success(()))
    end(.writing, .success(()))
  }
}
