public import Kernel
internal import Reactor
internal import Synchronization
public import TLS

/// A connection: a stream of bytes to a peer and one from it, in clear or under TLS.
///
/// ```swift
/// let connection = try await Connection.connect(to: "example.org", port: 80)
/// try await connection.send(Array("GET / HTTP/1.0\r\n\r\n".utf8))
/// let status = try await connection.receive(until: [13, 10], limit: 4096)
/// await connection.close()
/// ```
///
/// An actor whose executor is the event loop that the connection lives on: code that is isolated to
/// it, as a listener's handlers are, sends and receives without a hop. Bytes stay in the kernel
/// until somebody receives them, so that a peer that sends faster than it is read is stopped; a
/// send waits until the kernel has taken everything.
///
/// Every operation ends once: with its result, or with a ``SocketError``. A receive that fails, by
/// its limit of time, by cancellation or because too little came, takes nothing: the bytes are
/// there for the next one. A connection that nobody holds any more is closed as by ``close()``.
public actor Connection {
  // Constant: any thread.
  /// A number that only grows within the process.
  public nonisolated let identifier: UInt64
  /// The peer's address.
  public nonisolated let remoteAddress: SocketAddress
  /// The address on this side.
  public nonisolated let localAddress: SocketAddress
  nonisolated let loop: EventLoop
  nonisolated let tasks: LoopTasks
  /// For cancellation, which comes from any thread, and for the end.
  private nonisolated let bound: LoopBound<ConnectionWaits>

  // On the loop's thread.
  private let waits: ConnectionWaits
  private var buffered = ByteQueue()
  private var receivers = Gate()
  private var senders = Gate()
  private var sendFailure: SocketError?

  private static let lastIdentifier = Atomic<UInt64>(0)

  /// Takes a transport over; on its loop.
  init(_ transport: Transport) {
    let waits = ConnectionWaits(transport)
    self.waits = waits
    loop = transport.home.loop
    tasks = transport.home.tasks
    bound = LoopBound(waits, to: transport.home.loop)
    identifier = Connection.lastIdentifier.wrappingAdd(1, ordering: .relaxed).newValue
    remoteAddress = transport.peerAddress
    localAddress = transport.localAddress ?? .unix(.unnamed)
  }

  deinit {
    bound.perform { waits in waits.transport.close() }
  }

  private var transport: Transport { waits.transport }

  // MARK: Receiving

  /// Receives what is there, at least `least` bytes, into the beginning of `buffer`, and returns
  /// how many; 0 when the peer has ended its stream. Nothing is allocated.
  public func receive(
    into buffer: inout [UInt8], atLeast least: Int = 1, timeout: Duration? = nil
  ) async throws(SocketError) -> Int {
    guard least >= 1, least <= buffer.count else {
      throw .invalid("at least \(least) bytes", expected: "1 to the buffer's \(buffer.count)")
    }
    let deadline = timeout.map { loop.now + $0 }
    if !receivers.enter() { await standInLine(.reading) }
    defer { receivers.leave() }
    if least > 1 || !buffered.isEmpty {
      while try lacks(least, atMost: buffer.count) { try await wait(.reading, deadline) }
      let bytes = buffered.take(min(buffer.count, buffered.count))
      buffer.replaceSubrange(..<bytes.count, with: bytes)
      return bytes.count
    }
    while true {
      switch try read(into: &buffer) {
      case .moved(let count): return count
      case .ended: return 0
      case .wouldBlock: try await wait(.reading, deadline)
      }
    }
  }

  private func read(into buffer: inout [UInt8]) throws(SocketError) -> Transfer {
    var span = buffer.mutableSpan
    var bytes = span.mutableOctets
    return try transport.read(into: &bytes)
  }

  /// Receives at least `least` and at most `most` bytes; fewer, or none, when the peer has ended
  /// its stream.
  public func receive(
    atLeast least: Int = 1, atMost most: Int, timeout: Duration? = nil
  ) async throws(SocketError) -> [UInt8] {
    guard least >= 1, most >= least else {
      throw .invalid("\(least) to \(most) bytes", expected: "1 ≤ least ≤ most")
    }
    let deadline = timeout.map { loop.now + $0 }
    if !receivers.enter() { await standInLine(.reading) }
    defer { receivers.leave() }
    while try lacks(least, atMost: most) { try await wait(.reading, deadline) }
    return buffered.take(min(most, buffered.count))
  }

  /// Receives exactly `count` bytes. Fails with ``SocketError/endOfStream(received:)`` when the
  /// peer ends its stream before; what came stays.
  public func receive(
    exactly count: Int, timeout: Duration? = nil
  ) async throws(SocketError) -> [UInt8] {
    guard count >= 0 else { throw .invalid("\(count) bytes", expected: "0 or more") }
    let deadline = timeout.map { loop.now + $0 }
    if !receivers.enter() { await standInLine(.reading) }
    defer { receivers.leave() }
    while try lacks(count, atMost: count) { try await wait(.reading, deadline) }
    guard buffered.count >= count else { throw .endOfStream(received: buffered.count) }
    return buffered.take(count)
  }

  /// Receives until `delimiter` has come, which is the last part of the result, at most `limit`
  /// bytes in all. Where it does not come within them, or the peer ends its stream before, what
  /// came stays.
  public func receive(
    until delimiter: [UInt8], limit: Int, timeout: Duration? = nil
  ) async throws(SocketError) -> [UInt8] {
    guard !delimiter.isEmpty, limit >= delimiter.count else {
      throw .invalid(
        "a delimiter of \(delimiter.count) bytes within \(limit)",
        expected: "at least one byte, within at least as many")
    }
    let deadline = timeout.map { loop.now + $0 }
    if !receivers.enter() { await standInLine(.reading) }
    defer { receivers.leave() }
    var searched = 0
    while true {
      if let end = buffered.end(of: delimiter, from: searched, limit: limit) {
        return buffered.take(end)
      }
      guard buffered.count < limit else { throw .delimiterNotFound(limit: limit) }
      // The last bytes may be the beginning of the delimiter.
      searched = max(0, buffered.count - delimiter.count + 1)
      let wanted = buffered.count + 1
      while try lacks(wanted, atMost: limit) { try await wait(.reading, deadline) }
      guard buffered.count >= wanted else { throw .endOfStream(received: buffered.count) }
    }
  }

  /// Reads until `count` bytes are buffered, and no more than `most` in all; true when the peer has
  /// to send more before there are as many. A task that waits keeps a frame for each asynchronous
  /// call that it is in: this is none.
  private func lacks(_ count: Int, atMost most: Int) throws(SocketError) -> Bool {
    while buffered.count < count {
      switch try readAhead(most - buffered.count) {
      case .moved: break
      case .ended: return false
      case .wouldBlock: return true
      }
    }
    return false
  }

  private func readAhead(_ most: Int) throws(SocketError) -> Transfer {
    try transport.home.withScratch { bytes throws(SocketError) in
      var room = bytes.beginning(most)
      let transfer = try transport.read(into: &room)
      if case .moved(let count) = transfer { buffered.append(room.bytes.extracting(first: count)) }
      return transfer
    }
  }

  // MARK: Sending

  /// Sends all bytes and, when `endOfStream` is true, ends the stream to the peer after them;
  /// receiving goes on. Returns when the kernel has taken everything.
  ///
  /// A send that fails or is cancelled after the kernel has taken a part fails every later one:
  /// nothing follows a gap.
  public func send(
    _ bytes: ArraySlice<UInt8>, endOfStream: Bool = false, timeout: Duration? = nil
  ) async throws(SocketError) {
    let deadline = timeout.map { loop.now + $0 }
    if !senders.enter() { await standInLine(.writing) }
    defer { senders.leave() }
    if let sendFailure { throw sendFailure }
    var sent = 0
    do {
      while try !write(bytes, &sent) { try await wait(.writing, deadline) }
    } catch {
      if sent > 0 { sendFailure = error }
      throw error
    }
    if endOfStream { try transport.endOutput() }
  }

  /// Writes what there is room for; true when everything is written.
  private func write(_ bytes: ArraySlice<UInt8>, _ sent: inout Int) throws(SocketError) -> Bool {
    while sent < bytes.count {
      switch try transport.write(bytes.span.octets.extracting(droppingFirst: sent)) {
      case .moved(let count): sent += count
      case .wouldBlock: return false
      case .ended: throw .closed
      }
    }
    return true
  }

  /// Sends all bytes, as the other form does.
  public func send(
    _ bytes: [UInt8], endOfStream: Bool = false, timeout: Duration? = nil
  ) async throws(SocketError) {
    try await send(bytes[...], endOfStream: endOfStream, timeout: timeout)
  }

  // MARK: Descriptors

  func sendFirst(
    _ bytes: [UInt8], passing descriptors: [PassedDescriptor], timeout: Duration?
  ) async throws(SocketError) -> Int {
    let deadline = timeout.map { loop.now + $0 }
    if !senders.enter() { await standInLine(.writing) }
    defer { senders.leave() }
    if let sendFailure { throw sendFailure }
    while true {
      switch try transport.write(bytes.span.octets, passing: descriptors) {
      case .moved(let count): return count
      case .wouldBlock: try await wait(.writing, deadline)
      case .ended: throw .closed
      }
    }
  }

  func receive(
    into buffer: inout [UInt8], passed: inout [PassedDescriptor], timeout: Duration?
  ) async throws(SocketError) -> Int {
    let deadline = timeout.map { loop.now + $0 }
    if !receivers.enter() { await standInLine(.reading) }
    defer { receivers.leave() }
    guard buffered.isEmpty else {
      let bytes = buffered.take(min(buffer.count, buffered.count))
      buffer.replaceSubrange(..<bytes.count, with: bytes)
      return bytes.count
    }
    while true {
      switch try read(into: &buffer, passed: &passed) {
      case .moved(let count): return count
      case .ended: return 0
      case .wouldBlock: try await wait(.reading, deadline)
      }
    }
  }

  private func read(
    into buffer: inout [UInt8], passed: inout [PassedDescriptor]
  ) throws(SocketError) -> Transfer {
    var span = buffer.mutableSpan
    var bytes = span.mutableOctets
    return try transport.read(into: &bytes, passed: &passed)
  }

  // MARK: The end

  /// Closes the connection so that everything that was sent arrives, and returns when the socket is
  /// closed: when the peer has acknowledged everything, or after five seconds without progress,
  /// from where on the kernel goes on alone. Receives and sends that wait fail with
  /// ``SocketError/closed``.
  public func close() async {
    waits.close()
    await Suspension.wait(isolation: self) { suspension in
      transport.close { suspension.resume() }
    }
  }

  /// Gives the connection up at once: the peer sees a reset, and what was sent may be lost.
  public func abort() {
    waits.close()
    transport.abort()
  }

  // MARK: TLS

  /// Puts TLS on the connection, from here on in both directions.
  ///
  /// - Parameters:
  ///   - configuration: the role, whom to trust, and what to offer.
  ///   - timeout: the time that the handshake has, trust decision included.
  ///   - decide: decides whether to trust the peer, where the configuration says so.
  public func startTLS(
    _ configuration: TLSConfiguration, timeout: Duration = .seconds(10),
    decide: (@Sendable (PeerTrust) async -> Bool)? = nil
  ) async throws(SocketError) {
    let context: TLSContext
    do { context = try TLSContext(configuration) } catch { throw .tls(error) }
    try await startTLS(context, timeout: timeout, decide: decide)
  }

  /// Puts TLS on the connection with settings that many connections share.
  public func startTLS(
    _ context: TLSContext, timeout: Duration = .seconds(10),
    decide: (@Sendable (PeerTrust) async -> Bool)? = nil
  ) async throws(SocketError) {
    if !receivers.enter() { await standInLine(.reading) }
    defer { receivers.leave() }
    waits.prepareHandshake(decide: decide.map { decide in asking(decide) })
    try transport.startTLS(context, early: buffered.take(buffered.count), timeout: timeout)
    let outcome = await Suspension.wait(isolation: self) { suspension in
      waits.waitForHandshake(suspension)
    }
    try outcome.get()
  }

  private func asking(
    _ decide: @escaping @Sendable (PeerTrust) async -> Bool
  ) -> (PeerTrust) -> Void {
    let bound = self.bound
    return { peer in
      Task {
        let isTrusted = await decide(peer)
        bound.perform { waits in waits.transport.decide(isTrusted: isTrusted) }
      }
    }
  }

  /// What TLS has agreed on; nil without TLS.
  public var tlsSession: TLSSession? { transport.tlsSession }

  // MARK: Waiting

  private func standInLine(_ direction: ConnectionWaits.Direction) async {
    await Suspension<Void>.wait(isolation: self) { suspension in
      switch direction {
      case .reading: receivers.wait(suspension)
      case .writing: senders.wait(suspension)
      }
    }
  }

  private func wait(
    _ direction: ConnectionWaits.Direction, _ deadline: Instant?
  ) async throws(SocketError) {
    let number = waits.nextNumber()
    let bound = self.bound
    let outcome = await withTaskCancellationHandler {
      // By name: what is kept here is the loop's, whoever's task this is.
      await Suspension<ConnectionWaits.Outcome>.wait(isolation: self) { suspension in
        if Task.isCancelled {
          suspension.resume(returning: .failure(.cancelled))
        } else {
          waits.wait(direction, number: number, until: deadline, suspension)
        }
      }
    } onCancel: {
      bound.perform { waits in waits.cancel(direction, number: number) }
    }
    try outcome.get()
  }

  // MARK: The socket

  /// Bytes received and sent, in clear.
  public var counters: (received: UInt64, sent: UInt64) {
    (transport.received, transport.sent)
  }

  /// Calls `body` with the socket's descriptor, for what has no method here.
  public func withDescriptor<Value: Sendable>(
    _ body: @Sendable (borrowing Descriptor) throws(Errno) -> Value
  ) throws(SocketError) -> Value {
    guard transport.isOpen else { throw .closed }
    do {
      return try transport.withSocket(body)
    } catch {
      throw .system(error, doing: "using the descriptor")
    }
  }
}
