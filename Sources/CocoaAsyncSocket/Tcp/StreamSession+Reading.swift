internal import Foundation
internal import Kernel
internal import Reactor
internal import Sockets

/// Reading.
///
/// 1. The queue says what it wants; what it kept from before is used first.
/// 2. Bytes are read into the loop's scratch and go from there to the current read.
/// 3. While nobody reads, nothing is read: the peer is stopped. Only when its end is near, what is
///    left is read ahead up to a limit, to learn whether it has ended.
extension StreamSession {
  /// Reads in a row before others on the loop get their turn.
  private static let burst = 16

  func readOn() {
    guard let transport else { return }
    var left = StreamSession.burst
    while !hasEnded, !reading.isPaused, !isHandshaking {
      let wanted: Int
      switch reads.next() {
      case .completed(let operation):
        completed(operation)
        continue
      case .tooLong(let operation):
        return end(.delimiterNotFound(limit: operation.limit))
      case .secure: return
      case .idle:
        guard transport.endIsNear || rules.writeHasFailed else { return }
        guard reads.keptCount < ReadQueue.aheadLimit else { return }
        wanted = ReadQueue.aheadLimit
      case .read(let count): wanted = count
      }
      guard left > 0 else { return goOnSoon() }
      left -= 1
      guard pull(wanted, from: transport) else { return wait() }
    }
  }

  /// Reads once; false when nothing came.
  private func pull(_ wanted: Int, from transport: Transport) -> Bool {
    guard !rules.peerHasEnded else { return false }
    do {
      let transfer = try home.withScratch { bytes throws(SocketError) in
        let transfer = try read(wanted, from: transport, into: &bytes)
        if case .moved(let count) = transfer {
          if reads.operation != nil { reading.untold += count }
          reads.receive(bytes.bytes.extracting(first: count))
        }
        return transfer
      }
      switch transfer {
      case .moved: return true
      case .wouldBlock: return false
      case .ended: peerEnded(nil)
      }
    } catch .tls(.truncated) {
      // Many end the connection without ending TLS first.
      peerEnded(nil)
    } catch {
      peerEnded(error)
    }
    return false
  }

  private func read(
    _ wanted: Int, from transport: Transport, into bytes: inout MutableRawSpan
  ) throws(SocketError) -> Transfer {
    guard wanted < bytes.byteCount else { return try transport.read(into: &bytes) }
    var room = bytes._mutatingExtracting(first: wanted)
    return try transport.read(into: &room)
  }

  /// Nothing more is there for the current read.
  private func wait() {
    guard !hasEnded, let operation = reads.operation else { return }
    if let timeout = operation.timeout, reading.timedNumber != operation.number {
      reading.timedNumber = operation.number
      reading.allowed = timeout
      reading.timer = home.loop.setTimer(at: home.loop.now + timeout, self, tag: Tag.read)
    }
    guard reading.untold > 0 else { return }
    let (count, tag) = (UInt(reading.untold), operation.tag)
    reading.untold = 0
    tell { delegate, socket in
      delegate.socket(socket, didReadPartialDataOfLength: count, tag: tag)
    }
  }

  private func completed(_ operation: ReadOperation) {
    forgetReadTimer()
    let (tag, data, destination) = (operation.tag, operation.bytes, operation.destination)
    tell { delegate, socket in
      destination?.put(data)
      delegate.socket(socket, didRead: data, withTag: tag)
    }
  }

  private func forgetReadTimer() {
    if let timer = reading.timer { home.loop.cancel(timer) }
    reading = DirectionState()
  }

  // MARK: Limits of time

  func readTimerFired() {
    reading.timer = nil
    guard let operation = reads.operation, operation.number == reading.timedNumber else { return }
    reading.isPaused = true
    let (number, tag, elapsed) = (operation.number, operation.tag, reading.allowed.seconds)
    let done = UInt(operation.bytes.count)
    let isAsked = socket?.ask(generation, home.loop) { [weak self] delegate, socket in
      let seconds = delegate.socket(
        socket, shouldTimeoutReadWithTag: tag, elapsed: elapsed, bytesDone: done)
      self?.send(.extendRead(number, seconds: seconds))
    }
    if isAsked != true { extendRead(number, 0) }
  }

  func extendRead(_ number: UInt64, _ seconds: TimeInterval) {
    guard !hasEnded, reading.isPaused, let operation = reads.operation,
      operation.number == number
    else { return }
    reading.isPaused = false
    if seconds > 0 {
      guard let more = Duration(limit: seconds) else { return }
      reading.allowed += more
      reading.timer = home.loop.setTimer(at: home.loop.now + more, self, tag: Tag.read)
      return
    }
    guard socket?.options.disconnectsOnReadTimeout == false else {
      return end(.timedOut(.receiving))
    }
    forgetReadTimer()
    guard let dropped = reads.dropCurrent() else { return }
    let (tag, error) = (dropped.tag, SocketError.timedOut(.receiving).forDelegate)
    tell { delegate, socket in
      delegate.socket(socket, didFailReadWithTag: tag, error: error)
    }
  }
}

extension ReadOperation {
  /// The limit of a separator's read.
  fileprivate var limit: Int {
    if case .separator(_, let limit) = goal { limit } else { 0 }
  }
}
