package import Kernel
package import Reactor

/// Who is told that a channel may go on.
package protocol DatagramChannelOwner: AnyObject {
  /// Datagrams or an error may wait.
  func channelHasInput(_ channel: DatagramChannel)
  /// There may be room to send.
  func channelHasRoom(_ channel: DatagramChannel)
}

/// A datagram socket on its loop: what the faces of the library share. On the loop's thread only.
///
/// 1. The loop reports input once for each change; whoever wants it receives until nothing waits.
/// 2. Room is watched for only while a datagram waits for it: the kernel reports room whenever one
///    has left, and each report would cost a turn of the loop.
/// 3. An error of the network, such as a peer's refusal, is the error of the one operation that
///    meets it. Nothing but `close` closes the socket.
package final class DatagramChannel: EventHandler {
  package let loop: EventLoop
  /// The address family, as SO_DOMAIN tells it.
  package let family: Int32
  private var socket: Descriptor?
  private var registration = Registration.none
  private var wantsRoom = false
  private var watchesRoom = false
  private weak var owner: (any DatagramChannelOwner)?
  private var lastDrops: UInt32 = 0
  /// False while it is known that nothing waits.
  package private(set) var mayHaveInput = true
  package private(set) var counters = DatagramCounters()

  /// Takes a non-blocking datagram socket over; `watch` follows on the loop.
  package init(_ socket: consuming Descriptor, family: Int32, on loop: EventLoop) {
    self.loop = loop
    self.family = family
    self.socket = consume socket
  }

  package var isOpen: Bool { socket != nil }

  /// Begins to report to `owner`, which the channel does not keep.
  package func watch(_ owner: any DatagramChannelOwner) throws(Errno) {
    self.owner = owner
    registration = try withSocket { (socket) throws(Errno) in
      try loop.watch(socket, self, for: [.readable, .edge])
    }
  }

  package func handle(_ readiness: Readiness, tag: UInt32) {
    if !readiness.isDisjoint(with: [.readable, .error, .hungUp]) {
      mayHaveInput = true
      owner?.channelHasInput(self)
    }
    // An error is met by sending too: who waits for room must not wait on. No readiness at all
    // comes from `callSoon`, when room could not be watched for.
    let hasRoom = !readiness.isDisjoint(with: [.writable, .error, .hungUp]) || readiness.isEmpty
    if wantsRoom, hasRoom, isOpen {
      wantsRoom = false
      watchRoom(false)
      owner?.channelHasRoom(self)
    }
  }

  /// Closes the socket at once: its port is free when this returns.
  package func close() {
    guard socket != nil else { return }
    loop.forget(registration)
    socket = nil
    owner = nil
  }

  /// Calls `body` with the socket; EBADF when it is closed.
  package func withSocket<Result: ~Copyable>(
    _ body: (borrowing Descriptor) throws(Errno) -> Result
  ) throws(Errno) -> Result {
    switch socket {
    case .some(let socket): return try body(socket)
    case .none: throw .badDescriptor
    }
  }

  /// Does as `withSocket` and counts an error.
  private func counting<Result: ~Copyable>(
    _ body: (borrowing Descriptor) throws(Errno) -> Result
  ) throws(Errno) -> Result {
    do {
      return try withSocket(body)
    } catch {
      counters.errors += 1
      throw error
    }
  }

  // MARK: Receiving

  /// Receives what waits into `batch`, up to `limit` datagrams; 0 when nothing waits.
  package func receive(into batch: inout DatagramBatch, limit: Int) throws(Errno) -> Int {
    let limit = min(limit, batch.capacity)
    let count = try counting { (socket) throws(Errno) in
      try batch.receive(from: socket, limit: limit)
    }
    // Fewer than asked for: the kernel had no more, and tells when one comes.
    if count < limit { mayHaveInput = false }
    for index in 0..<count { note(batch.header(index)) }
    return count
  }

  private func note(_ header: DatagramHeader) {
    counters.datagramsReceived += UInt64(header.segmentCount)
    counters.bytesReceived += UInt64(header.fullLength)
    if header.isTruncated { counters.truncations += 1 }
    guard let drops = header.drops else { return }
    counters.drops += UInt64(drops &- lastDrops)
    lastDrops = drops
  }

  // MARK: Sending

  /// Sends a datagram; false when there is no room, which is then watched for.
  package func send(
    _ bytes: RawSpan, to destination: SocketAddress?, from source: IPAddress?, interface: UInt32
  ) throws(Errno) -> Bool {
    let destination = destination.map { fitting($0) }
    let source = source.map { fitting($0) }
    let isSent = try counting { (socket) throws(Errno) in
      try socket.send(datagram: bytes, to: destination, from: source, interface: interface)
    }
    if isSent {
      counters.datagramsSent += 1
      counters.bytesSent += UInt64(bytes.byteCount)
    }
    return isSent
  }

  /// Sends what the batch still holds; false when there is no room.
  package func send(_ batch: inout DatagramBatch, joins: Bool) throws(Errno) -> Bool {
    let before = batch.sentCount
    defer {
      counters.datagramsSent += UInt64(batch.sentCount - before)
      counters.bytesSent += UInt64(batch.byteCount(from: before, to: batch.sentCount))
    }
    return try counting { (socket) throws(Errno) in
      try batch.send(through: socket, joins: joins)
    }
  }

  /// Reports room to the owner, once, when there is some.
  package func waitForRoom() {
    wantsRoom = true
    watchRoom(true)
  }

  private func watchRoom(_ isOn: Bool) {
    guard isOn != watchesRoom else { return }
    let readiness: Readiness = isOn ? [.readable, .writable, .edge] : [.readable, .edge]
    let registration = registration
    do {
      try withSocket { (socket) throws(Errno) in
        try loop.modify(registration, socket, for: readiness)
      }
      watchesRoom = isOn
    } catch {
      // epoll_ctl(2) fails here only for want of memory: tried again after this turn.
      if isOn { loop.callSoon(self, tag: 0) }
    }
  }

  /// A socket of both families wants IPv4 mapped into IPv6.
  private func fitting(_ address: SocketAddress) -> SocketAddress {
    guard family == SocketOption.family6, case .ip(let address, let port) = address else {
      return address
    }
    return .ip(address.mapped, port: port)
  }

  private func fitting(_ address: IPAddress) -> IPAddress {
    family == SocketOption.family6 ? address.mapped : address
  }
}
