internal import Dispatch
internal import Kernel

/// Callbacks on their way to one delegate queue: several events make one block there.
final class UdpCallbackQueue: Sendable {
  private struct State {
    var waiting: [@Sendable () -> Void] = []
    var blockIsOnItsWay = false
  }

  private struct Entry {
    weak var callbacks: UdpCallbackQueue?
  }

  private static let known = Lock<[ObjectIdentifier: Entry]>([:])

  private let queue: DispatchQueue
  private let state = Lock(State())

  private init(_ queue: DispatchQueue) {
    self.queue = queue
  }

  /// The callbacks of a queue, shared by all its sockets so that their order is kept.
  static func of(_ queue: DispatchQueue) -> UdpCallbackQueue {
    known.withLock { known in
      if let callbacks = known[ObjectIdentifier(queue)]?.callbacks { return callbacks }
      let callbacks = UdpCallbackQueue(queue)
      known = known.filter { $0.value.callbacks != nil }
      known[ObjectIdentifier(queue)] = Entry(callbacks: callbacks)
      return callbacks
    }
  }

  /// Runs `work` on the queue, in the order of these calls.
  func enqueue(_ work: @escaping @Sendable () -> Void) {
    let mustSend = state.withLock { state in
      state.waiting.append(work)
      defer { state.blockIsOnItsWay = true }
      return !state.blockIsOnItsWay
    }
    if mustSend { queue.async { self.run() } }
  }

  private func run() {
    let work = state.withLock { state in
      defer { state.waiting = [] }
      return state.waiting
    }
    for callback in work { callback() }
    let isMore = state.withLock { state in
      if state.waiting.isEmpty { state.blockIsOnItsWay = false }
      return state.blockIsOnItsWay
    }
    // Not in this block: others have work for the queue too.
    if isMore { queue.async { self.run() } }
  }
}
