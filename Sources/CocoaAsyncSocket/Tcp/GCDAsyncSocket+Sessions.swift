internal import Foundation
internal import Kernel
internal import Names
internal import Reactor
internal import Sockets

/// Beginnings: what is checked at once throws, what is found out later comes to the delegate.
extension GCDAsyncSocket {
  var options: SocketOptions { state.withLock { $0.options } }

  // MARK: Accepting

  func listen(onInterface interface: String?, port: UInt16) throws {
    try attempt { () throws(SocketError) in
      try checkReadiness()
      let place = try LocalPlace(interface)
      guard place.port == nil else {
        throw .invalid("a port in the interface “\(interface ?? "")”", expected: "none")
      }
      let all = place.addresses.isEmpty ? [.any4, .any6] : place.addresses
      let options = self.options
      let used = all.filter { $0.isIPv6 ? options.usesIPv6 : options.usesIPv4 }
      guard !used.isEmpty else {
        throw .invalid(
          "listening on \(interface ?? "any interface")",
          expected: "an address of a family that is enabled")
      }
      try listen(at: used.map { .ip($0, port: port) })
    }
  }

  func listen(at url: URL) throws {
    try attempt { () throws(SocketError) in
      try checkReadiness()
      try listen(at: [try GCDAsyncSocket.address(of: url)])
    }
  }

  private func listen(at addresses: [SocketAddress]) throws(SocketError) {
    let home = try SocketLoops.shared.next()
    let generation = newGeneration(home)
    let session = try ListenSession(self, generation: generation, at: addresses, on: home)
    state.withLock { state in
      state.phase = .listening(session)
      state.locals = session.addresses
    }
    home.loop.post { session.start() }
  }

  /// The path of a unix socket that a URL names.
  private static func address(of url: URL) throws(SocketError) -> SocketAddress {
    let path = url.path
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw .invalid("the URL \(url)", expected: "a file's path")
    }
    guard path.utf8.count <= UnixName.pathLimit else {
      throw .invalid(
        "the path \(path) has \(path.utf8.count) bytes", expected: "at most \(UnixName.pathLimit)")
    }
    return .unix(.path(path))
  }

  // MARK: Connecting

  func begin(toHost host: String, port: UInt16, interface: String?, timeout: TimeInterval) throws {
    try attempt { () throws(SocketError) in
      guard !host.isEmpty else { throw .invalid("an empty host name", expected: "a host's name") }
      let name = host == "loopback" ? "localhost" : host
      try begin(.host(name, port: port), interface, timeout)
    }
  }

  func begin(toAddress data: Data, interface: String?, timeout: TimeInterval) throws {
    try attempt { () throws(SocketError) in
      guard let address = SocketAddress(sockaddr: data) else {
        throw .invalid("\(data.count) bytes as an address", expected: "a sockaddr")
      }
      try begin(.address(address), interface, timeout)
    }
  }

  func begin(to url: URL, timeout: TimeInterval) throws {
    try attempt { () throws(SocketError) in
      try begin(.address(try GCDAsyncSocket.address(of: url)), nil, timeout)
    }
  }

  private func begin(
    _ destination: ConnectRequest.Destination, _ interface: String?, _ timeout: TimeInterval
  ) throws(SocketError) {
    try checkReadiness()
    var request = ConnectRequest(to: destination)
    let options = self.options
    request.families = options.families
    request.timeout = Duration(limit: timeout)
    request.race.preferred = options.prefersIPv4 ? .v4 : .v6
    request.race.attemptDelay =
      Duration(limit: options.alternateAddressDelay) ?? ConnectionRace.Settings().attemptDelay
    let place = try LocalPlace(interface)
    request.localAddresses = place.addresses
    request.localPort = place.port ?? 0
    request.interfaceIndex = place.interface
    try GCDAsyncSocket.check(request)
    let home = try SocketLoops.shared.next()
    let session = StreamSession(self, generation: newGeneration(home), on: home)
    state.withLock { state in
      state.phase = .connecting(session)
      state.hostName = request.hostName
    }
    session.send(.connect(request))
  }

  /// Refuses what can never connect.
  private static func check(_ request: ConnectRequest) throws(SocketError) {
    guard case .address(.ip(let address, _)) = request.destination else { return }
    let family = AddressFamily(of: address)
    guard request.families.contains(family) else {
      throw .invalid("\(address)", expected: "an address of a family that is enabled")
    }
    guard
      request.localAddresses.isEmpty
        || request.localAddresses.contains(where: { AddressFamily(of: $0) == family })
    else {
      throw .invalid("\(address)", expected: "an address of the interface's family")
    }
  }

  // MARK: Adoption

  func adopt(_ number: Int32) throws {
    try attempt { () throws(SocketError) in
      let peer = try GCDAsyncSocket.peer(of: number)
      let home = try SocketLoops.shared.next()
      prepare(number, peer, on: home).wake()
    }
  }

  private static func peer(of number: Int32) throws(SocketError) -> SocketAddress {
    guard number >= 0 else {
      throw .invalid("the descriptor \(number)", expected: "a connected socket")
    }
    // Borrowed until it is known to be good: on failure it stays the caller's.
    let borrowed = Descriptor(adopting: number)
    let found = Result { () throws(SocketError) in try peer(of: borrowed) }
    _ = borrowed.release()
    return try found.get()
  }

  private static func peer(of socket: borrowing Descriptor) throws(SocketError) -> SocketAddress {
    do {
      guard try socket.get(.type) == SocketOption.streamType, try socket.get(.isListening) == 0
      else {
        throw SocketError.invalid(
          "the descriptor \(socket.number)", expected: "a connected stream socket")
      }
      let peer = try socket.remoteAddress()
      try socket.makeNonblocking()
      return peer
    } catch let error as SocketError {
      throw error
    } catch let error as Errno {
      throw .system(error, doing: "taking over the descriptor \(socket.number)")
    } catch {
      preconditionFailure("the system fails with error numbers only")
    }
  }

  /// Makes the session of a connection that stands. It takes the descriptor over, before everything
  /// that is asked of it, when it is woken.
  private func prepare(
    _ number: Int32, _ peer: SocketAddress, on home: SocketLoop
  ) -> StreamSession {
    let session = StreamSession(self, generation: newGeneration(home), on: home)
    session.hold(.adopt(number, peer: peer))
    let local = GCDAsyncSocket.localAddress(of: number)
    state.withLock { state in
      state.phase = .connected(session)
      state.remote = peer
      state.locals = local.map { [$0] } ?? []
    }
    return session
  }

  private static func localAddress(of number: Int32) -> SocketAddress? {
    let borrowed = Descriptor(adopting: number)
    let address = try? borrowed.localAddress()
    _ = borrowed.release()
    return address
  }

  /// A listener has a connection: it becomes a socket of the same class, delegate and queue. On the
  /// listener's loop.
  func accepted(_ number: Int32, from peer: SocketAddress, _ session: ListenSession) {
    let (delegate, callbacks) = state.withLock { state in
      state.generation == session.generation ? (state.delegate, state.callbacks) : (nil, nil)
    }
    guard let delegate, let callbacks, let home = try? SocketLoops.shared.next() else {
      _ = Descriptor(adopting: number)
      return
    }
    let made = type(of: self).init(
      delegate: delegate, delegateQueue: callbacks.queue, socketQueue: nil)
    made.state.withLock { $0.callbacks = callbacks }
    let connection = made.prepare(number, peer, on: home)
    tell(session.generation, session.home.loop) { delegate, socket in
      _ = delegate.newSocketQueueForConnection(fromAddress: peer.sockaddr, on: socket)
      delegate.socket(socket, didAcceptNewSocket: made)
    }
    // Only now, so that nothing is told of the connection before the connection itself.
    connection.wake()
  }

  // MARK: What all share

  /// Throws what the original throws in the delegate's terms.
  private func attempt(_ body: () throws(SocketError) -> Void) throws {
    do throws(SocketError) { try body() } catch {
      if case .invalid(GCDAsyncSocket.notReady, let expected) = error {
        throw GCDAsyncSocketError(.badConfigError, description: "the socket needs \(expected)")
      }
      throw error.forDelegate
    }
  }

  private static let notReady = "the socket's state"

  private func checkReadiness() throws(SocketError) {
    let (fault, options): (String?, SocketOptions) = state.withLock { state in
      if state.delegate == nil { return ("a delegate", state.options) }
      if state.callbacks == nil { return ("a delegate queue", state.options) }
      return (state.isIdle ? nil : "to be disconnected first", state.options)
    }
    if let fault { throw .invalid(GCDAsyncSocket.notReady, expected: fault) }
    guard !options.families.isEmpty else {
      throw .invalid(GCDAsyncSocket.notReady, expected: "IPv4 or IPv6 enabled")
    }
  }

  /// Begins a connection's time; the end of the one before is told by now.
  private func newGeneration(_ home: SocketLoop) -> UInt64 {
    let (last, generation) = state.withLock { state in
      defer { state.generation += 1 }
      return (state.generation, state.generation + 1)
    }
    tellEnd(of: last, home.loop)
    return generation
  }
}

extension ConnectRequest {
  fileprivate var hostName: String? {
    switch destination {
    case .host(let name, _): name
    case .address: nil
    }
  }
}

extension SocketOptions {
  fileprivate var families: Set<AddressFamily> {
    var families: Set<AddressFamily> = []
    if usesIPv4 { families.insert(.v4) }
    if usesIPv6 { families.insert(.v6) }
    return families
  }
}
