public import Kernel
internal import Reactor

extension DatagramSocket {
  // MARK: Receiving

  /// Receives one datagram; waits, at most `timeout`, when there is none.
  ///
  /// A peer's refusal of something sent before may be told here instead; the socket goes on.
  public func receive(timeout: Duration? = nil) async throws(SocketError) -> Datagram {
    try await core.perform(.receiving, deadline: deadline(timeout)) {
      (channel) throws(SocketError) in try next(from: channel)
    }
  }

  /// Receives what is there, at least one datagram and at most `limit`, in the place of those in
  /// `batch`. Nothing is allocated.
  ///
  /// With `joinsReceived` a datagram of the batch may hold several (`DatagramHeader.segment`); do
  /// not then receive single ones from the same socket.
  @discardableResult
  public func receive(
    into batch: inout DatagramBatch, limit: Int = DatagramBatch.slotLimit,
    timeout: Duration? = nil
  ) async throws(SocketError) -> Int {
    try await core.perform(.receiving, deadline: deadline(timeout)) {
      (channel) throws(SocketError) -> Int? in
      do throws(Errno) {
        let count = try channel.receive(into: &batch, limit: limit)
        return count == 0 ? nil : count
      } catch {
        throw .system(error, doing: "receiving datagrams")
      }
    }
  }

  private func next(from channel: DatagramChannel) throws(SocketError) -> Datagram? {
    if !joined.isEmpty { return joined.removeFirst() }
    do throws(Errno) {
      return try scratch.withBatch { (batch) throws(Errno) in
        guard try channel.receive(into: &batch, limit: 1) == 1 else { return nil }
        return takeApart(&batch)
      }
    } catch {
      throw .system(error, doing: "receiving a datagram")
    }
  }

  /// The datagram that was received; with those behind it that the kernel has joined to it.
  private func takeApart(_ batch: inout DatagramBatch) -> Datagram {
    let header = batch.header(0)
    guard header.segmentCount > 1 else { return Datagram(header, batch.bytes(0)) }
    for index in 1..<header.segmentCount {
      joined.append(Datagram(header, batch.bytes(0).extracting(header.segment(index))))
    }
    return Datagram(header, batch.bytes(0).extracting(header.segment(0)))
  }

  /// The datagrams that come, until the socket is closed or the task cancelled.
  ///
  /// None is kept between two: what comes while nobody asks waits in the socket's receive buffer,
  /// and `counters` tells how many found no room there.
  public nonisolated var datagrams: Datagrams { Datagrams(socket: self) }

  /// The datagrams that come to a socket.
  public struct Datagrams: AsyncSequence, Sendable {
    let socket: DatagramSocket

    /// Begins with the next datagram.
    public func makeAsyncIterator() -> Iterator { Iterator(socket: socket) }

    /// Receives one datagram after the other.
    public struct Iterator: AsyncIteratorProtocol {
      let socket: DatagramSocket

      /// The next datagram; what peers and routers refused of what was sent is passed over.
      public mutating func next(
        isolation actor: isolated (any Actor)? = #isolation
      ) async throws(SocketError) -> Datagram? {
        while true {
          do {
            return try await socket.receive()
          } catch {
            switch error {
            case .closed, .cancelled: return nil
            case .system(let code, _) where code.isFromNetwork: continue
            default: throw error
            }
          }
        }
      }

      /// The next datagram.
      public mutating func next() async throws(SocketError) -> Datagram? {
        try await next(isolation: #isolation)
      }
    }
  }

  // MARK: Sending

  /// Sends one datagram, when there is room for it; waits for that at most `timeout`.
  ///
  /// Without a destination it goes to the peer that the socket is connected to. `source` is the
  /// address of this machine that it comes from and `interface` the one that it leaves by; with
  /// neither the kernel chooses.
  public func send(
    _ bytes: RawSpan, to destination: SocketAddress? = nil, from source: IPAddress? = nil,
    interface: UInt32 = 0, timeout: Duration? = nil
  ) async throws(SocketError) {
    try await core.perform(.sending, deadline: deadline(timeout)) {
      (channel) throws(SocketError) -> Void? in
      do throws(Errno) {
        let isSent = try channel.send(
          bytes, to: destination, from: source, interface: interface)
        return isSent ? () : nil
      } catch {
        throw .system(error, doing: DatagramSocket.sending(to: destination))
      }
    }
  }

  /// Sends one datagram, as with a span of bytes.
  public func send(
    _ bytes: [UInt8], to destination: SocketAddress? = nil, from source: IPAddress? = nil,
    interface: UInt32 = 0, timeout: Duration? = nil
  ) async throws(SocketError) {
    try await send(
      bytes.span.octets, to: destination, from: source, interface: interface, timeout: timeout)
  }

  /// Sends a batch, in its order; nothing is allocated.
  ///
  /// An error is that of the first datagram that was not sent, `batch.sentCount`: those before it
  /// were, and after `batch.skip()` sending again goes on with the others.
  public func send(
    _ batch: inout DatagramBatch, timeout: Duration? = nil
  ) async throws(SocketError) {
    let joins = options.joinsSent
    try await core.perform(.sending, deadline: deadline(timeout)) {
      (channel) throws(SocketError) -> Void? in
      do throws(Errno) {
        return try channel.send(&batch, joins: joins) ? () : nil
      } catch {
        throw .system(error, doing: "sending datagram \(batch.sentCount) of a batch")
      }
    }
  }

  private static func sending(to destination: SocketAddress?) -> String {
    destination.map { "sending to \($0)" } ?? "sending to the peer"
  }
}

extension Errno {
  /// True for what a peer or a router has answered to a datagram sent before.
  var isFromNetwork: Bool {
    switch self {
    case .connectionRefused, .hostUnreachable, .networkUnreachable, .messageTooLong, .noSuchOption:
      true
    default: false
    }
  }
}
