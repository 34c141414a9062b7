public import Kernel
internal import Names
internal import Reactor

/// A socket for datagrams, of UDP or of a unix socket.
///
/// Its methods run on the event loop that watches the socket. Every operation ends exactly once:
/// with its result, or with an error that belongs to it alone. A peer's refusal, a datagram that is
/// too long, a route that is missing: none of them closes the socket. A task that is cancelled
/// while it waits loses no datagram; the next one to receive has it.
public actor DatagramSocket {
  let core: DatagramCore
  let scratch: DatagramScratch
  let options: DatagramOptions
  nonisolated let loop: EventLoop
  /// What the kernel has joined and nobody has received yet; at most as much as one datagram holds.
  var joined: [Datagram] = []

  private init(
    _ socket: consuming Descriptor, _ options: DatagramOptions, on loop: EventLoop
  ) throws(SocketError) {
    do {
      let family = try socket.get(.family)
      core = DatagramCore(DatagramChannel(socket, family: family, on: loop))
      scratch = try DatagramScratch.of(loop)
    } catch {
      throw .system(error, doing: "making a datagram socket")
    }
    self.options = options
    self.loop = loop
  }

  isolated deinit {
    core.close()
  }

  // MARK: Making one

  /// Makes a socket with an address of its own; with port 0 the kernel chooses a free one.
  public static func bound(
    to address: SocketAddress, options: DatagramOptions = DatagramOptions()
  ) async throws(SocketError) -> DatagramSocket {
    let socket = try opened(for: address, options)
    try SocketError.on("binding to \(address)") { () throws(Errno) in
      try socket.bind(to: address)
    }
    return try await begin(socket, options, on: try SocketLoops.shared.next().loop)
  }

  /// Makes a socket that sends to one peer and takes datagrams of no other.
  public static func connected(
    to address: SocketAddress, options: DatagramOptions = DatagramOptions()
  ) async throws(SocketError) -> DatagramSocket {
    let loop = try SocketLoops.shared.next().loop
    return try await begin(try connectedDescriptor(to: address, options), options, on: loop)
  }

  /// Makes a socket that is connected to the first address of a host to which there is a way.
  public static func connected(
    to host: String, port: UInt16, options: DatagramOptions = DatagramOptions()
  ) async throws(SocketError) -> DatagramSocket {
    let home = try SocketLoops.shared.next()
    var failure = SocketError.name(host, .noAddress)
    for address in try await AddressQuestion(home).addresses(of: host) {
      do {
        let socket = try connectedDescriptor(to: .ip(address, port: port), options)
        return try await begin(socket, options, on: home.loop)
      } catch {
        failure = error
      }
    }
    throw failure
  }

  /// Takes a datagram socket over that was made elsewhere, connected or not; nobody else closes it.
  /// Of the options those hold that can be set on a socket in use.
  public static func adopting(
    _ socket: consuming Descriptor, options: DatagramOptions = DatagramOptions()
  ) async throws(SocketError) -> DatagramSocket {
    let socket = consume socket
    let (type, family) = try SocketError.on("adopting a socket") {
      () throws(Errno) -> (Int32, Int32) in
      try socket.makeNonblocking()
      return (try socket.get(.type), try socket.get(.family))
    }
    guard type == SocketOption.datagramType else {
      throw .invalid("a socket that is not for datagrams", expected: "a datagram socket")
    }
    try options.apply(socket, family: family)
    return try await begin(socket, options, on: try SocketLoops.shared.next().loop)
  }

  private static func connectedDescriptor(
    to address: SocketAddress, _ options: DatagramOptions
  ) throws(SocketError) -> Descriptor {
    let socket = try opened(for: address, options)
    try SocketError.on("connecting to \(address)") { () throws(Errno) in
      _ = try socket.connect(to: address)
    }
    return socket
  }

  private static func opened(
    for address: SocketAddress, _ options: DatagramOptions
  ) throws(SocketError) -> Descriptor {
    if case .unix(let name) = address { try name.check() }
    let socket = try SocketError.on("opening a datagram socket") { () throws(Errno) in
      try Descriptor.datagramSocket(for: address)
    }
    try options.applyBeforeBinding(socket, family: address.familyNumber)
    return socket
  }

  private static func begin(
    _ socket: consuming Descriptor, _ options: DatagramOptions, on loop: EventLoop
  ) async throws(SocketError) -> DatagramSocket {
    let made = try DatagramSocket(socket, options, on: loop)
    try await made.begin()
    return made
  }

  private func begin() throws(SocketError) {
    try core.begin()
  }

  // MARK: State

  /// The socket's own address.
  public var localAddress: SocketAddress {
    get throws(SocketError) {
      try calling("asking for the address") { (socket) throws(Errno) in try socket.localAddress() }
    }
  }

  /// The peer that the socket is connected to, nil for none.
  public var remoteAddress: SocketAddress? {
    get throws(SocketError) {
      try calling("asking for the peer") { (socket) throws(Errno) in
        do throws(Errno) { return try socket.remoteAddress() } catch {
          guard error == .notConnected else { throw error }
          return nil
        }
      }
    }
  }

  /// What was done so far.
  public var counters: DatagramCounters { core.channel.counters }

  /// Tasks that wait for a datagram.
  var waitingReceivers: Int { core.waitingReceivers }

  /// True after `close`.
  public var isClosed: Bool { !core.channel.isOpen }

  /// Calls `body` with the descriptor, for options that have no name here. It stays the socket's.
  public func withDescriptor<Result: Sendable>(
    _ body: @Sendable (borrowing Descriptor) throws(Errno) -> Result
  ) throws(SocketError) -> Result {
    try calling("using the descriptor", body)
  }

  /// Closes the socket: its port is free when this returns, and who waits gets `closed`.
  public func close() {
    joined = []
    core.close()
  }

  func calling<Result>(
    _ purpose: @autoclosure () -> String,
    _ body: (borrowing Descriptor) throws(Errno) -> Result
  ) throws(SocketError) -> Result {
    guard core.channel.isOpen else { throw .closed }
    do { return try core.channel.withSocket(body) } catch {
      throw .system(error, doing: purpose())
    }
  }

  func deadline(_ timeout: Duration?) -> Instant {
    timeout.map { loop.now + $0 } ?? .never
  }
}
