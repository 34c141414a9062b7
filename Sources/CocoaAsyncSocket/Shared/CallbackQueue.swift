internal import Dispatch
internal import Kernel
internal import Reactor

/// Calls to delegates on one dispatch queue, in order: as many as have come in the meantime with
/// one block, since a block costs more than a call.
///
/// At most one block is on its way or runs, so that the order holds on concurrent queues too.
final class CallbackQueue: Sendable {
  private struct State {
    var waiting: [Callback] = []
    var isScheduled = false
    /// When the block that is on its way was handed to the queue; nil when it has begun to run.
    var scheduled: Instant?
    var isWatched = false
  }

  /// The queue on which delegates are called.
  let queue: DispatchQueue
  private let state = Lock(State())

  init(_ queue: DispatchQueue) {
    self.queue = queue
  }

  /// Puts a call in, on any thread; `loop` watches whether the queue runs it.
  func append(watchedBy loop: EventLoop, _ call: @escaping () -> Void) {
    let (mustSchedule, mustWatch) = state.withLock { state in
      state.waiting.append(Callback(call: call))
      guard !state.isScheduled else { return (false, false) }
      state.isScheduled = true
      state.scheduled = .now()
      defer { state.isWatched = true }
      return (true, !state.isWatched)
    }
    if mustWatch {
      let watch = StallWatch(self, loop)
      loop.post { watch.begin() }
    }
    if mustSchedule { schedule() }
  }

  private func schedule() {
    queue.async { self.run() }
  }

  private func run() {
    let calls = state.withLock { state in
      state.scheduled = nil
      defer { state.waiting = [] }
      return state.waiting
    }
    for callback in calls { callback.call() }
    let isMore = state.withLock { state in
      state.isScheduled = !state.waiting.isEmpty
      if state.isScheduled { state.scheduled = .now() }
      return state.isScheduled
    }
    // Anew, so that others on the queue get their turn.
    if isMore { schedule() }
  }

  /// What the watch sees: how long the block has been waiting to run.
  enum Progress {
    case idle
    case waiting(since: Instant)
    case running
  }

  /// Looks how far the queue is; an idle one is not watched any more.
  func look() -> Progress {
    state.withLock { state in
      if let scheduled = state.scheduled { return .waiting(since: scheduled) }
      if state.isScheduled { return .running }
      state.isWatched = false
      return .idle
    }
  }
}

/// A call to a delegate. Guard of the `@unchecked`: it is made once, on the delegate's queue, and
/// nobody has it after that.
private struct Callback: @unchecked Sendable {
  let call: () -> Void
}

extension CallbackQueue {
  private struct Known {
    var queues: [ObjectIdentifier: WeakQueue] = [:]
    /// So many are known before those that nobody uses are forgotten.
    var sweepSize = 64
  }

  private static let known = Lock(Known())

  /// The one for a dispatch queue.
  static func of(_ queue: DispatchQueue) -> CallbackQueue {
    known.withLock { known in
      let key = ObjectIdentifier(queue)
      if let found = known.queues[key]?.queue { return found }
      if known.queues.count >= known.sweepSize {
        known.queues = known.queues.filter { $0.value.queue != nil }
        known.sweepSize = max(64, 2 * known.queues.count)
      }
      let made = CallbackQueue(queue)
      known.queues[key] = WeakQueue(queue: made)
      return made
    }
  }

  private struct WeakQueue {
    weak var queue: CallbackQueue?
  }
}
