internal import Kernel
internal import Reactor

/// One bound socket on one loop, and the way of what clients send.
///
/// 1. The socket is readable: up to a batch of datagrams is received in one call;
/// 2. for each run of datagrams of one client to one address the session is found, or begun;
/// 3. the session sends the run through its own socket, in one call where it can;
/// 4. what is left waits in the kernel until the other sockets of the loop have had their turn.
///
/// No error ends it: what a receive reports is cleared by being reported, and counted.
final class DatagramListener: EventHandler {
  let home: RelayLoop
  let address: SocketAddress
  /// Its place among the sockets of its service.
  let index: Int
  unowned let service: DatagramService
  private var socket: Descriptor?
  private var registration: Registration?
  private var burst = DatagramSession.leastBurst
  private var knownDrops: UInt32 = 0
  /// Datagrams of one size to one client go joined up to this many bytes each.
  var longestSegment: UInt32 = .max {
    didSet { if longestSegment != oldValue { home.counters.datagrams.joinsRefused += 1 } }
  }

  init(
    _ socket: consuming Descriptor, at address: SocketAddress, index: Int,
    service: DatagramService
  ) {
    self.socket = consume socket
    self.address = address
    self.index = index
    self.service = service
    home = service.home
  }

  /// Begins to receive.
  func open() throws(Errno) {
    registration = try withSocket { socket throws(Errno) in
      // Level-triggered: what a batch leaves behind is reported again.
      try home.loop.watch(socket, self, for: [.readable])
    }
  }

  func close() {
    guard let taken = socket.take() else { return }
    if let registration = registration.take() { home.loop.forget(registration) }
    _ = consume taken
  }

  func handle(_ readiness: Readiness, tag: UInt32) {
    guard let exchange = service.exchange else { return }
    var calls = DatagramLimits.callsPerTurn
    while calls > 0, isOpen {
      calls -= 1
      do {
        let limit = burst
        let received = try withSocket { socket throws(Errno) in
          try exchange.upward.receive(from: socket, limit: limit)
        }
        take(received, exchange)
        guard received == limit else {
          burst = max(DatagramSession.leastBurst, received)
          return
        }
        burst = min(burst * 2, DatagramLimits.batch)
      } catch {
        home.counters.datagrams.errorsCleared += 1
        return
      }
    }
  }

  private func take(_ count: Int, _ exchange: DatagramExchange) {
    guard count > 0 else { return }
    if let drops = exchange.upward.drops(count - 1) {
      home.counters.datagrams.droppedByKernel += UInt64(drops &- knownDrops)
      knownDrops = drops
    }
    var next = 0
    while next < count {
      let origin = exchange.upward.origin(next)
      var end = next + 1
      while end < count, exchange.upward.origin(end) == origin { end += 1 }
      service.receive(next..<end, from: origin, at: self, exchange)
      next = end
    }
  }

  private var isOpen: Bool {
    switch socket {
    case .some: true
    case .none: false
    }
  }

  /// Calls `body` with the socket, which is there as long as a session is.
  func withSocket<Result: ~Copyable, Failure: Error>(
    _ body: (borrowing Descriptor) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    switch socket {
    case .some(let socket): return try body(socket)
    case .none: preconditionFailure("a closed listener is used")
    }
  }
}
