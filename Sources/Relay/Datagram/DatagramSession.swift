internal import Kernel
internal import Names
internal import Reactor

/// One client's datagrams to one address of ours, and what its target answers.
///
/// 1. The first datagram begins it: a socket is connected to the first of the tunnel's targets;
///    while a name is looked up, a few datagrams wait (`DatagramSession+Target.swift`);
/// 2. a run of the client's datagrams is sent through that socket in as few calls as possible;
/// 3. an error that a host or network has reported is cleared by being reported: the datagram is
///    sent once more, or to the next target;
/// 4. what the target answers goes out through the listener's socket (`DatagramExchange.swift`);
/// 5. silence in both directions, a limit or the end of the relay end it.
final class DatagramSession: EventHandler, TimerHandler {
  // Constant.
  let number: UInt64
  let tunnel: ActiveDatagramTunnel
  let listener: DatagramListener
  let source: DatagramSource
  /// The way of answers: to the client, from the address that it asked.
  let route: DatagramRoute
  let client: SocketAddress
  let asked: SocketAddress
  private let started: Instant

  // On the loop's thread.
  /// Where the session stands in its table; kept by `DatagramService`.
  var slot: Int32 = -1
  /// Datagrams that one call may receive: grows while calls are filled.
  var burst = DatagramSession.leastBurst
  private var socket: Descriptor?
  private var registration: Registration?
  private(set) var isOver = false
  private var longestSegment: UInt32 = .max
  private var knownDrops: UInt32 = 0
  private var counts = (up: UInt64(0), down: UInt64(0), lost: UInt64(0))
  private var waiting: [[UInt8]] = []
  var choice = TargetChoice()

  static let leastBurst = 4

  init(
    number: UInt64, tunnel: ActiveDatagramTunnel, listener: DatagramListener,
    client: SocketAddress, source: DatagramSource, asked: IPAddress?
  ) {
    self.number = number
    self.tunnel = tunnel
    self.listener = listener
    self.client = client
    self.source = source
    // A group's address is nobody's to answer from: the kernel chooses.
    let origin = asked.flatMap { $0.isMulticast || $0 == .v4(.max) ? nil : $0 }
    route = DatagramRoute(to: client, from: origin)
    self.asked = asked.map { .ip($0, port: listener.address.port ?? 0) } ?? listener.address
    started = listener.home.loop.now
  }

  var home: RelayLoop { listener.home }
  var service: DatagramService { listener.service }

  /// Datagrams' bytes so far, for counters.
  var bytes: (up: UInt64, down: UInt64) { (counts.up, counts.down) }

  func handle(_ readiness: Readiness, tag: UInt32) {
    guard let exchange = service.exchange else { return }
    // Borrowed from the session, whom nothing ends meanwhile: a move waits until this is over.
    switch socket {
    case .some(let socket): exchange.receive(for: self, from: socket)
    case .none: return
    }
    if choice.mustMove { moveOn() }
  }

  // MARK: Upward

  /// Sends a run of the client's datagrams.
  func send(_ slots: Range<Int>, _ exchange: DatagramExchange) {
    guard isOpen else { return wait(slots, exchange) }
    for slot in slots {
      exchange.upward.route(slot, by: DatagramSession.connected)
    }
    choice.hasAsked = true
    var next = slots.lowerBound
    while next < slots.upperBound {
      var end = next
      while end < slots.upperBound, !exchange.upward.extent(end).isTruncated { end += 1 }
      if end > next { sendWhole(next..<end, exchange) }
      if end < slots.upperBound { lose(end, exchange, \.droppedTruncated) }
      next = end + 1
    }
    if choice.mustMove { moveOn() }
  }

  private static let connected = DatagramRoute(to: nil, from: nil)

  private func sendWhole(_ slots: Range<Int>, _ exchange: DatagramExchange) {
    var next = slots.lowerBound
    var retried = -1
    while next < slots.upperBound {
      let before = longestSegment
      let progress = withSocket { socket in
        exchange.upward.send(
          next..<slots.upperBound, through: socket, longestSegment: &longestSegment)
      }
      if longestSegment != before { home.counters.datagrams.joinsRefused += 1 }
      switch progress {
      case .all: return sent(next..<slots.upperBound, exchange)
      case .full(let place):
        sent(next..<place, exchange)
        for slot in place..<slots.upperBound { lose(slot, exchange, \.droppedFull) }
        return
      case .failed(let place, let error):
        sent(next..<place, exchange)
        next = place
        if retried != place, error != .messageTooLong {
          // Perhaps an earlier datagram's, reported now.
          retried = place
          wasRefused(error)
        } else {
          failed(place, error, exchange)
          next += 1
        }
      }
    }
  }

  private func failed(_ slot: Int, _ error: Errno, _ exchange: DatagramExchange) {
    let (bytes, datagrams, _) = exchange.upward.extent(slot)
    guard datagrams > 1 else {
      return lose(
        slot, exchange, error == .messageTooLong ? \.droppedTooLarge : \.droppedError)
    }
    home.counters.datagrams.joinsRefused += 1
    let sent = withSocket { socket in
      exchange.upward.sendApart(slot, by: DatagramSession.connected, through: socket)
    }
    let sentBytes = bytes * sent / datagrams
    counts.up += UInt64(sentBytes)
    home.counters.datagrams.up += UInt64(sent)
    lost(datagrams: datagrams - sent, bytes: bytes - sentBytes, \.droppedError)
  }

  private func sent(_ slots: Range<Int>, _ exchange: DatagramExchange) {
    for slot in slots {
      let (bytes, datagrams, _) = exchange.upward.extent(slot)
      counts.up += UInt64(bytes)
      home.counters.datagrams.up += UInt64(datagrams)
    }
  }

  private func lose(
    _ slot: Int, _ exchange: DatagramExchange,
    _ counter: WritableKeyPath<DatagramCounters, UInt64>
  ) {
    let (bytes, datagrams, _) = exchange.upward.extent(slot)
    lost(datagrams: datagrams, bytes: bytes, counter)
  }

  /// Datagrams of either direction are dropped.
  func lost(
    datagrams: Int, bytes: Int, _ counter: WritableKeyPath<DatagramCounters, UInt64>
  ) {
    home.counters.datagrams[keyPath: counter] += UInt64(datagrams)
    counts.lost += UInt64(bytes)
  }

  // MARK: Waiting for a name

  /// Keeps datagrams until there is a target, as far as the limits go.
  private func wait(_ slots: Range<Int>, _ exchange: DatagramExchange) {
    for slot in slots {
      let (bytes, datagrams, isTruncated) = exchange.upward.extent(slot)
      guard !isTruncated, datagrams == 1, waiting.count < DatagramLimits.waitingDatagrams,
        exchange.waitingBytes + bytes <= DatagramLimits.waitingBytes
      else {
        lost(datagrams: datagrams, bytes: bytes, \.droppedWaiting)
        continue
      }
      exchange.waitingBytes += bytes
      var copy: [UInt8] = []
      copy.append(exchange.upward.bytes(slot))
      waiting.append(copy)
    }
  }

  private func sendWaiting() {
    let datagrams = waiting
    waiting = []
    for datagram in datagrams {
      service.exchange?.waitingBytes -= datagram.count
      sendAlone(datagram)
    }
  }

  private func sendAlone(_ datagram: [UInt8]) {
    for attempt in 1...2 {
      do {
        let isSent = try withSocket { socket throws(Errno) in
          try socket.send(datagram: datagram.span.octets)
        }
        guard isSent else { return lost(datagrams: 1, bytes: datagram.count, \.droppedFull) }
        counts.up += UInt64(datagram.count)
        home.counters.datagrams.up += 1
        return
      } catch {
        if error == .messageTooLong {
          return lost(datagrams: 1, bytes: datagram.count, \.droppedTooLarge)
        }
        wasRefused(error)
        if attempt == 2 { lost(datagrams: 1, bytes: datagram.count, \.droppedError) }
      }
    }
  }

  private func dropWaiting() {
    for datagram in waiting {
      service.exchange?.waitingBytes -= datagram.count
      lost(datagrams: 1, bytes: datagram.count, \.droppedRefused)
    }
    waiting = []
  }

  // MARK: Downward

  /// Datagrams have gone to the client.
  func delivered(datagrams: Int, bytes: Int) {
    counts.down += UInt64(bytes)
    home.counters.datagrams.down += UInt64(datagrams)
  }

  /// The target has answered: the session is in use.
  func wasAnswered() {
    choice.wasAnswered = true
    service.use(self)
  }

  /// What the socket has dropped so far.
  func noteDrops(_ drops: UInt32?) {
    guard let drops, drops != knownDrops else { return }
    home.counters.datagrams.droppedByKernel += UInt64(drops &- knownDrops)
    knownDrops = drops
  }

  // MARK: Socket

  /// Connects a socket to a target in place of the one there is.
  func connect(to address: SocketAddress) throws(Errno) {
    let fresh = try Descriptor.datagramSocket(for: address)
    fresh.prepareForRelaying(tunnel.settings)
    _ = try fresh.connect(to: address)
    let registered = try home.loop.watch(fresh, self, for: [.readable])
    closeSocket()
    socket = consume fresh
    registration = registered
    knownDrops = 0
    sendWaiting()
  }

  var isOpen: Bool {
    switch socket {
    case .some: true
    case .none: false
    }
  }

  private func closeSocket() {
    guard let old = socket.take() else { return }
    if let registration = registration.take() { home.loop.forget(registration) }
    _ = consume old
  }

  private func withSocket<Result: ~Copyable, Failure: Error>(
    _ body: (borrowing Descriptor) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    switch socket {
    case .some(let socket): return try body(socket)
    case .none: preconditionFailure("a session without a socket sends")
    }
  }

  // MARK: End

  func end(because reason: FlowEnd) {
    guard !isOver else { return }
    isOver = true
    // Answers that wait for the end of the turn are still the session's.
    service.exchange?.flush()
    dropWaiting()
    leaveTarget()
    service.forget(self)
    let record = home.wantsRecords ? record(reason) : nil
    closeSocket()
    home.counters.bytesUp += counts.up
    home.counters.bytesDown += counts.down
    home.counters.bytesLost += counts.lost
    if case .targetUnreachable = reason { home.counters.unreachable += 1 }
    if let record { home.observer.ended(record) }
    service.ended(self, reason)
  }

  private func record(_ reason: FlowEnd) -> FlowRecord {
    let duration = home.loop.now - started
    let local = isOpen ? withSocket { socket in try? socket.localAddress() } : nil
    return FlowRecord(
      tunnel: tunnel.name, number: number, client: client, listener: asked, local: local,
      target: isOpen ? choice.current : nil,
      started: WallTime(nanoseconds: WallTime.now().nanoseconds &- duration.wholeNanoseconds),
      duration: duration, bytesUp: counts.up, bytesDown: counts.down, bytesLost: counts.lost,
      resetNotExpressible: false, end: reason, traffic: .udp)
  }

  func timerFired(tag: UInt32) { resolutionDelayIsOver() }
}
