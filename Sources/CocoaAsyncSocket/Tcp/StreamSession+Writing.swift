internal import Foundation
internal import Kernel
internal import Reactor
internal import Sockets

/// Writing.
///
/// 1. The queue says what is next: the rest of one write, or several small ones gathered.
/// 2. What the transport takes completes writes; what it does not take waits for room.
/// 3. After a failure nothing is written any more; what the peer sent before is still read.
extension StreamSession {
  /// Writes in a row before others on the loop get their turn.
  private static let burst = 16
  /// How long after a failed write somebody may still read what the peer sent.
  private static let lastReadPatience = Duration.seconds(1)

  func writeOn() {
    guard let transport else { return }
    var left = StreamSession.burst
    while !hasEnded, !writing.isPaused, !isHandshaking, !rules.writeHasFailed {
      let step = writes.next()
      switch step {
      case .idle, .secure: return
      case .writeCurrent, .writeGathered: break
      }
      guard left > 0 else { return goOnSoon() }
      left -= 1
      do {
        guard case .moved(let count) = try write(step, to: transport) else { return waitForRoom() }
        advance(count)
      } catch {
        return writeFailed(error)
      }
    }
  }

  private func write(
    _ step: WriteQueue.Step, to transport: Transport
  ) throws(SocketError) -> Transfer {
    if case .writeGathered = step {
      return try home.withScratch { bytes throws(SocketError) in
        let count = writes.gather(into: &bytes)
        return try transport.write(bytes.bytes.extracting(first: count))
      }
    }
    return try writes.withCurrent { bytes throws(SocketError) in try transport.write(bytes) }
  }

  func append(_ operation: WriteOperation) {
    writes.append(.operation(operation))
    if let mark = socket?.options.highWaterMark, writes.byteCount > mark { isAboveMark = true }
  }

  private func advance(_ count: Int) {
    let before = writes.operation?.number
    var completed: [Int] = []
    writes.advance(count) { completed.append($0.tag) }
    forget(count)
    if writes.operation?.number != before {
      if let timer = writing.timer { home.loop.cancel(timer) }
      writing = DirectionState()
    }
    for tag in completed {
      tell { delegate, socket in delegate.socket(socket, didWriteDataWithTag: tag) }
    }
    guard isAboveMark, let mark = socket?.options.highWaterMark, writes.byteCount < mark / 2
    else { return }
    isAboveMark = false
    tell { delegate, socket in delegate.socketDidDrain(socket) }
  }

  /// The current write waits until the peer has taken something.
  private func waitForRoom() {
    guard let operation = writes.operation else { return }
    if let timeout = operation.timeout, writing.timedNumber != operation.number {
      writing.timedNumber = operation.number
      writing.allowed = timeout
      writing.timer = home.loop.setTimer(at: home.loop.now + timeout, self, tag: Tag.write)
    }
    guard operation.done > writing.told else { return }
    let (count, tag) = (UInt(operation.done - writing.told), operation.tag)
    writing.told = operation.done
    tell { delegate, socket in
      delegate.socket(socket, didWritePartialDataOfLength: count, tag: tag)
    }
  }

  func writeFailed(_ error: SocketError) {
    writeFailure = error
    rules.noteWriteFailure()
    forgetWrites()
    guard lastReadTimer == nil else { return }
    lastReadTimer = home.loop.setTimer(
      at: home.loop.now + StreamSession.lastReadPatience, self, tag: Tag.lastRead)
  }

  func forgetWrites() {
    forget(writes.byteCount)
    writes.removeAll()
    if let timer = writing.timer { home.loop.cancel(timer) }
    writing = DirectionState()
  }

  /// So many bytes wait no more.
  func forget(_ count: Int) {
    guard count > 0 else { return }
    inbox.withLock { $0.bufferedBytes -= count }
  }

  // MARK: Limits of time

  func writeTimerFired() {
    writing.timer = nil
    guard let operation = writes.operation, operation.number == writing.timedNumber else { return }
    writing.isPaused = true
    let (number, tag, elapsed) = (operation.number, operation.tag, writing.allowed.seconds)
    let done = UInt(operation.done)
    let isAsked = socket?.ask(generation, home.loop) { [weak self] delegate, socket in
      let seconds = delegate.socket(
        socket, shouldTimeoutWriteWithTag: tag, elapsed: elapsed, bytesDone: done)
      self?.send(.extendWrite(number, seconds: seconds))
    }
    if isAsked != true { extendWrite(number, 0) }
  }

  func extendWrite(_ number: UInt64, _ seconds: TimeInterval) {
    guard !hasEnded, writing.isPaused, let operation = writes.operation,
      operation.number == number
    else { return }
    writing.isPaused = false
    guard seconds > 0 else { return end(.timedOut(.sending)) }
    guard let more = Duration(limit: seconds) else { return }
    writing.allowed += more
    writing.timer = home.loop.setTimer(at: home.loop.now + more, self, tag: Tag.write)
  }
}

extension StreamSession: TimerHandler {
  func timerFired(tag: UInt32) {
    takeCommands()
    guard !hasEnded else { return }
    switch tag {
    case Tag.read: readTimerFired()
    case Tag.write: writeTimerFired()
    default:
      lastReadTimer = nil
      rules.waitedForReads = true
    }
    goOn()
  }
}
