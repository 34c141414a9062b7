internal import Kernel
internal import Reactor

/// The tasks that wait at a channel, on its loop. The loop is the guard of the `@unchecked
/// Sendable`: a task's cancellation, from anywhere, only posts to it.
final class DatagramCore: DatagramChannelOwner, TimerHandler, @unchecked Sendable {
  enum Direction {
    case receiving
    case sending
  }

  let loop: EventLoop
  let channel: DatagramChannel
  private var receivers = WaitLine()
  private var senders = WaitLine()
  private var lastNumber: UInt32 = 0

  init(_ channel: DatagramChannel) {
    self.channel = channel
    loop = channel.loop
  }

  var waitingReceivers: Int { receivers.count }

  func begin() throws(SocketError) {
    do { try channel.watch(self) } catch { throw .system(error, doing: "watching a socket") }
  }

  func close() {
    guard channel.isOpen else { return }
    channel.close()
    for direction in [Direction.receiving, .sending] {
      for (task, timer) in withLine(direction, { $0.removeAll() }) {
        if let timer { loop.cancel(timer) }
        task.resume(returning: .closed)
      }
    }
  }

  private func withLine<Result>(
    _ direction: Direction, _ body: (inout WaitLine) -> Result
  ) -> Result {
    switch direction {
    case .receiving: body(&receivers)
    case .sending: body(&senders)
    }
  }

  // MARK: The loop's side

  func channelHasInput(_ channel: DatagramChannel) { wakeNext(.receiving) }

  func channelHasRoom(_ channel: DatagramChannel) { wakeNext(.sending) }

  func timerFired(tag: UInt32) { end(tag, .timedOut, timerHasFired: true) }

  private func wakeNext(_ direction: Direction) {
    guard let (task, timer) = withLine(direction, { $0.next() }) else { return }
    if let timer { loop.cancel(timer) }
    task.resume(returning: .ready)
  }

  private func end(_ number: UInt32, _ end: WaitEnd, timerHasFired: Bool = false) {
    for direction in [Direction.receiving, .sending] {
      guard let (task, timer) = withLine(direction, { $0.remove(number) }) else { continue }
      if let timer, !timerHasFired { loop.cancel(timer) }
      task.resume(returning: end)
      return
    }
  }

  // MARK: A task's side

  /// Calls `attempt`, in turn with others, until it has a result: nil means that it must wait.
  func perform<Result: ~Copyable>(
    _ direction: Direction, deadline: Instant, isolation: isolated (any Actor)? = #isolation,
    _ attempt: (DatagramChannel) throws(SocketError) -> Result?
  ) async throws(SocketError) -> Result {
    guard channel.isOpen else { throw .closed }
    guard !Task.isCancelled else { throw .cancelled }
    if !withLine(direction, { $0.takeTurn() }) {
      try await wait(direction, deadline: deadline, atFront: false)
    }
    while true {
      let result: Result?
      do {
        result = channel.isOpen ? try attempt(channel) : nil
      } catch {
        passOn(direction)
        throw error
      }
      if let result {
        passOn(direction)
        return result
      }
      withLine(direction) { $0.giveTurnBack() }
      guard channel.isOpen else { throw .closed }
      if direction == .sending { channel.waitForRoom() }
      try await wait(direction, deadline: deadline, atFront: true)
    }
  }

  /// Gives the turn to the next in line, who may find something or goes back to wait.
  private func passOn(_ direction: Direction) {
    withLine(direction) { $0.giveTurnBack() }
    guard channel.isOpen, direction == .sending || channel.mayHaveInput else { return }
    wakeNext(direction)
  }

  private func wait(
    _ direction: Direction, deadline: Instant, atFront: Bool,
    isolation: isolated (any Actor)? = #isolation
  ) async throws(SocketError) {
    guard !withLine(direction, { $0.isFull }) else {
      throw .system(.noBufferSpace, doing: "waiting behind \(WaitLine.limit) others")
    }
    lastNumber &+= 1
    let number = lastNumber
    let end = await withTaskCancellationHandler {
      // Naming it keeps this closure on the loop.
      await Suspension<WaitEnd>.wait(isolation: isolation) { task in
        let timer = deadline == .never ? nil : loop.setTimer(at: deadline, self, tag: number)
        withLine(direction) { $0.enter(number, task, timer, atFront: atFront) }
      }
    } onCancel: {
      loop.post { self.end(number, .cancelled) }
    }
    switch end {
    case .ready: return
    case .timedOut: throw .timedOut(direction == .receiving ? .receiving : .sending)
    case .cancelled: throw .cancelled
    case .closed: throw .closed
    }
  }
}
