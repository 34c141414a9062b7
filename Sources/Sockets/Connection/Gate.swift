internal import Reactor

/// One at a time: tasks that want the same direction of a connection stand in line.
struct Gate: ~Copyable {
  private var isTaken = false
  private var waiting: [Suspension<Void>] = []

  init() {}

  /// True when the caller may go on at once; else it has to `wait`.
  mutating func enter() -> Bool {
    guard !isTaken else { return false }
    isTaken = true
    return true
  }

  /// Stands in line; the one before hands the gate over.
  mutating func wait(_ suspension: Suspension<Void>) {
    waiting.append(suspension)
  }

  /// Lets the next one in.
  mutating func leave() {
    guard !waiting.isEmpty else {
      isTaken = false
      return
    }
    waiting.removeFirst().resume()
  }
}
