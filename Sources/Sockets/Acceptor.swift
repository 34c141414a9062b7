package import Kernel
internal import Reactor

/// One listening socket on one loop.
///
/// When the system has no descriptor or memory to give it leaves the poller for a moment: nothing
/// spins and clients wait in the kernel's queue. Used on its loop's thread.
package final class Acceptor: EventHandler, TimerHandler {
  /// Connections taken before others on the loop get their turn.
  package static let burst = 64
  /// The pause after the system has refused, and its longest when it goes on refusing.
  static let firstPause = Duration.milliseconds(50)
  static let longestPause = Duration.seconds(1)

  package let home: SocketLoop
  private let accepted: (consuming Accepted) -> Void
  private var socket: Descriptor?
  private var registration: Registration?
  private var timer: TimerToken?
  private var pause = Acceptor.firstPause
  private var isPaused = false
  /// Times that the system had no descriptor or memory for a connection.
  package private(set) var refusals: UInt64 = 0

  /// Takes over a listening, non-blocking socket; `accepted` is called for each connection.
  package init(
    _ listening: consuming Descriptor, on home: SocketLoop,
    accepted: @escaping (consuming Accepted) -> Void
  ) {
    self.home = home
    self.accepted = accepted
    socket = consume listening
  }

  /// Begins to accept, or goes on after `hold`.
  package func open() {
    isPaused = false
    guard registration == nil, timer == nil else { return }
    switch socket {
    case .some(let socket):
      // Level-triggered: what a burst leaves behind is reported again.
      registration = try? home.loop.watch(socket, self, for: [.readable])
      if registration == nil { retryLater() }
    case .none: break
    }
  }

  /// Accepts nothing until `open`: clients wait in the kernel's queue.
  package func hold() {
    isPaused = true
    leavePoller()
  }

  /// Stops for good; the port is free when this returns.
  package func close() {
    if let timer = timer.take() { home.loop.cancel(timer) }
    leavePoller()
    socket = nil
  }

  /// Calls `body` with the socket; nil when it is closed.
  package func withSocket<Value>(_ body: (borrowing Descriptor) -> Value) -> Value? {
    switch socket {
    case .some(let socket): body(socket)
    case .none: nil
    }
  }

  package func handle(_ readiness: Readiness, tag: UInt32) {
    var left = Acceptor.burst
    while left > 0, registration != nil, takeOne() { left -= 1 }
  }

  private func takeOne() -> Bool {
    let taken: Accepted?
    do {
      switch socket {
      case .some(let socket): taken = try socket.accept()
      case .none: return false
      }
    } catch {
      if error.isOneConnections { return true }
      refusals += 1
      leavePoller()
      retryLater()
      return false
    }
    guard let connection = consume taken else { return false }
    pause = Acceptor.firstPause
    accepted(connection)
    return true
  }

  private func retryLater() {
    timer = home.loop.setTimer(at: home.loop.now + pause, self)
    pause = min(pause * 2, Acceptor.longestPause)
  }

  package func timerFired(tag: UInt32) {
    timer = nil
    if !isPaused { open() }
  }

  private func leavePoller() {
    guard let current = registration.take() else { return }
    switch socket {
    case .some(let socket): home.loop.unwatch(current, socket)
    case .none: break
    }
  }
}
