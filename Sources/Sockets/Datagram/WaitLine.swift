internal import Reactor

/// How a task's waiting ended.
enum WaitEnd: Sendable {
  /// What was waited for may be there.
  case ready
  case timedOut
  case cancelled
  case closed
}

/// Tasks that wait for their turn at one direction of a socket, first come, first served.
///
/// One has the turn at a time. Who finds that nothing is there goes back to the front; who is
/// cancelled while waiting just leaves the line, and what it waited for is the next one's.
struct WaitLine {
  /// Tasks that may wait for one direction of one socket.
  static let limit = 4096

  private struct Waiting {
    var number: UInt32
    var task: Suspension<WaitEnd>
    var timer: TimerToken?
  }

  private var line: [Waiting] = []
  private var isTaken = false

  /// Takes the turn; false when others come first.
  mutating func takeTurn() -> Bool {
    guard !isTaken, line.isEmpty else { return false }
    isTaken = true
    return true
  }

  /// Gives the turn back. `next` follows when there is something to be had.
  mutating func giveTurnBack() { isTaken = false }

  var count: Int { line.count }

  var isFull: Bool { line.count >= WaitLine.limit }

  /// Puts a task in line: at the front when it had the turn and found nothing.
  mutating func enter(
    _ number: UInt32, _ task: Suspension<WaitEnd>, _ timer: TimerToken?, atFront: Bool
  ) {
    line.insert(
      Waiting(number: number, task: task, timer: timer), at: atFront ? 0 : line.count)
  }

  /// Gives the turn to the first in line, unless somebody has it.
  mutating func next() -> (task: Suspension<WaitEnd>, timer: TimerToken?)? {
    guard !isTaken, !line.isEmpty else { return nil }
    isTaken = true
    let first = line.removeFirst()
    return (first.task, first.timer)
  }

  /// Takes a task out of the line; nil when it is not there any more.
  mutating func remove(_ number: UInt32) -> (task: Suspension<WaitEnd>, timer: TimerToken?)? {
    guard let index = line.firstIndex(where: { $0.number == number }) else { return nil }
    let waiting = line.remove(at: index)
    return (waiting.task, waiting.timer)
  }

  /// Takes all out.
  mutating func removeAll() -> [(task: Suspension<WaitEnd>, timer: TimerToken?)] {
    defer { line = [] }
    return line.map { ($0.task, $0.timer) }
  }
}
