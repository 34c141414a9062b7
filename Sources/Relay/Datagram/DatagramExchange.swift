internal import Kernel
internal import Reactor

/// The batches of a loop, and the way of what targets answer.
///
/// 1. A session's socket is readable: what waits is received behind what other sessions have
///    received in this turn;
/// 2. each datagram gets its client's address and the address that the client had asked;
/// 3. when the batch is full, another listener's datagrams come or the turn is over, the batch goes
///    out through the listener's socket in as few calls as possible;
/// 4. what the socket has no room for, or the kernel refuses, is dropped and counted: an error is
///    that of one client alone.
final class DatagramExchange: EventHandler {
  /// What clients have sent; used within one event.
  var upward: DatagramBatch
  private var downward: DatagramBatch
  /// Whose datagram is in each slot of `downward`.
  private var owners: [DatagramSession?]
  private var outlet: DatagramListener?
  private unowned let loop: EventLoop
  /// Bytes that wait for names, of all sessions.
  var waitingBytes = 0

  init(loop: EventLoop) throws(Errno) {
    self.loop = loop
    upward = try DatagramBatch(capacity: DatagramLimits.batch)
    downward = try DatagramBatch(capacity: DatagramLimits.batch)
    owners = Array(repeating: nil, count: DatagramLimits.batch)
  }

  /// The turn is over.
  func handle(_ readiness: Readiness, tag: UInt32) { flush() }

  /// Receives what waits for a session; what stays is reported again.
  func receive(for session: DatagramSession, from socket: borrowing Descriptor) {
    if outlet !== session.listener { flush() }
    var calls = DatagramLimits.callsPerTurn
    while calls > 0 {
      calls -= 1
      if downward.room == 0 { flush() }
      let limit = min(session.burst, downward.room)
      let first = downward.count
      do {
        let received = try downward.receiveMore(from: socket, limit: limit)
        take(first..<first + received, for: session)
        guard received == limit else {
          session.burst = max(DatagramSession.leastBurst, received)
          return
        }
        session.burst = min(session.burst * 2, DatagramLimits.batch)
      } catch {
        // Reported by a host or a network, and cleared by this call.
        session.wasRefused(error)
        return
      }
    }
  }

  private func take(_ slots: Range<Int>, for session: DatagramSession) {
    guard !slots.isEmpty else { return }
    for slot in slots {
      session.noteDrops(downward.drops(slot))
      downward.route(slot, by: session.route)
      owners[slot] = session
    }
    session.wasAnswered()
    guard outlet == nil else { return }
    outlet = session.listener
    loop.callSoon(self, tag: 0)
  }

  /// Sends what waits to its clients.
  func flush() {
    guard let outlet else { return }
    self.outlet = nil
    outlet.withSocket { socket in
      var next = 0
      while next < downward.count {
        // A cut datagram is never passed on; whole slots make it impossible, the check keeps it so.
        var end = next
        while end < downward.count, !downward.extent(end).isTruncated { end += 1 }
        if end > next { send(next..<end, through: socket, of: outlet) }
        if end < downward.count {
          lose(end, outlet, \.droppedTruncated)
        }
        next = end + 1
      }
    }
    downward.removeAll()
  }

  private func send(
    _ slots: Range<Int>, through socket: borrowing Descriptor, of outlet: DatagramListener
  ) {
    var next = slots.lowerBound
    while next < slots.upperBound {
      let progress = downward.send(
        next..<slots.upperBound, through: socket, longestSegment: &outlet.longestSegment)
      switch progress {
      case .all:
        for slot in next..<slots.upperBound { delivered(slot, outlet) }
        return
      case .full(let place):
        for slot in next..<place { delivered(slot, outlet) }
        for slot in place..<slots.upperBound { lose(slot, outlet, \.droppedFull) }
        return
      case .failed(let place, let error):
        for slot in next..<place { delivered(slot, outlet) }
        failed(place, error, socket, outlet)
        next = place + 1
      }
    }
  }

  private func failed(
    _ slot: Int, _ error: Errno, _ socket: borrowing Descriptor, _ outlet: DatagramListener
  ) {
    let (bytes, datagrams, _) = downward.extent(slot)
    guard datagrams > 1, let session = owners[slot] else {
      return lose(slot, outlet, error == .messageTooLong ? \.droppedTooLarge : \.droppedError)
    }
    outlet.home.counters.datagrams.joinsRefused += 1
    let sent = downward.sendApart(slot, by: session.route, through: socket)
    owners[slot] = nil
    session.delivered(datagrams: sent, bytes: bytes * sent / datagrams)
    session.lost(
      datagrams: datagrams - sent, bytes: bytes - bytes * sent / datagrams, \.droppedError)
  }

  private func delivered(_ slot: Int, _ outlet: DatagramListener) {
    let (bytes, datagrams, _) = downward.extent(slot)
    owners[slot].take()?.delivered(datagrams: datagrams, bytes: bytes)
  }

  private func lose(
    _ slot: Int, _ outlet: DatagramListener,
    _ counter: WritableKeyPath<DatagramCounters, UInt64>
  ) {
    let (bytes, datagrams, _) = downward.extent(slot)
    owners[slot].take()?.lost(datagrams: datagrams, bytes: bytes, counter)
  }
}
