internal import Kernel

/// The listening sockets of one address: one a loop, made before any of them accepts.
struct ListenSockets {
  /// The address in force, with the port that the kernel chose.
  let address: SocketAddress
  /// Owned descriptor numbers, one a loop; each loop adopts its own.
  let numbers: [Int32]
  /// All numbers are one socket, which several loops watch.
  let isShared: Bool
  /// The file that closing removes, nil for what has none.
  let file: FileStatus?

  /// Opens `count` sockets at `address`.
  static func open(
    _ address: SocketAddress, count: Int, settings: StreamSettings
  ) throws(ListenError) -> ListenSockets {
    switch address {
    case .ip: try openIP(address, count: count, settings: settings)
    case .unix(let name): try openUnix(name, count: count, backlog: settings.backlog)
    }
  }

  /// Tries to give both families the same free port, when the kernel is to choose it.
  static let freePortAttempts = 16

  /// Opens both families' wildcard, each with sockets of its own, so that no client's address comes
  /// mapped into IPv6. A machine without IPv6 has only the first.
  static func openEverywhere(
    port: UInt16, count: Int, settings: StreamSettings
  ) throws(ListenError) -> [ListenSockets] {
    for attempt in 1... {
      let first = try open(.ip(.any4, port: port), count: count, settings: settings)
      let chosen = first.address.port ?? port
      do {
        let second = try open(.ip(.any6, port: chosen), count: count, settings: settings)
        return [first, second]
      } catch .refused(_, .addressFamilyNotSupported), .refused(_, .addressNotAvailable) {
        return [first]
      } catch {
        first.discard()
        guard port == 0, case .refused(_, .addressInUse) = error, attempt < freePortAttempts
        else { throw error }
      }
    }
    return []
  }

  /// Closes sockets that no loop has adopted.
  private func discard() {
    for number in numbers { _ = Descriptor(adopting: number) }
  }

  /// Takes a listening socket over that this process inherited.
  static func adopt(
    _ number: Int32, count: Int, settings: StreamSettings
  ) throws(ListenError) -> ListenSockets {
    let socket = Descriptor(adopting: number)
    do {
      guard try socket.get(.isListening) == 1, try socket.get(.type) == SocketOption.streamType
      else { throw Errno.notASocket }
      try socket.makeNonblocking()
      let address = try socket.localAddress()
      if case .ip = address { try inherit(settings, by: socket) }
      return try ListenSockets(
        address: address, numbers: share(socket, count: count), isShared: true, file: nil)
    } catch {
      throw .notAListener(descriptor: number)
    }
  }

  // The first socket listens without SO_REUSEPORT, so that a second program at the same port is
  // refused rather than given a share of the connections; then the option lets the others join.
  private static func openIP(
    _ wanted: SocketAddress, count: Int, settings: StreamSettings
  ) throws(ListenError) -> ListenSockets {
    do {
      let first = try socket(at: wanted, joining: false, settings)
      let address = try first.localAddress()
      try first.listen(backlog: settings.backlog)
      if count > 1 { try first.set(.reusePort, 1) }
      var numbers: [Int32] = []
      // Owned as bare numbers only from here on, where nothing can throw between them.
      var owners = DescriptorList(first)
      for _ in 1..<max(1, count) {
        owners.append(try socket(at: address, joining: true, settings))
      }
      try owners.forEach { socket throws(Errno) in try socket.listen(backlog: settings.backlog) }
      numbers = owners.release()
      return ListenSockets(address: address, numbers: numbers, isShared: false, file: nil)
    } catch {
      throw .refused(wanted, error)
    }
  }

  private static func socket(
    at address: SocketAddress, joining: Bool, _ settings: StreamSettings
  ) throws(Errno) -> Descriptor {
    let socket = try Descriptor.streamSocket(for: address)
    try socket.set(.reuseAddress, 1)
    if joining { try socket.set(.reusePort, 1) }
    if case .ip(.v6, _) = address { try socket.set(.ipv6Only, 1) }
    try inherit(settings, by: socket)
    try socket.bind(to: address)
    return socket
  }

  /// Options that accepted sockets inherit from their listener (tcp(7), socket(7)).
  private static func inherit(
    _ settings: StreamSettings, by socket: borrowing Descriptor
  ) throws(Errno) {
    try socket.set(.noDelay, settings.sendsAtOnce ? 1 : 0)
    try socket.set(.urgentInline, 1)
    if let keepalive = settings.keepalive { try socket.set(keepalive) }
    if settings.userTimeout > .zero {
      try socket.set(.userTimeout, settings.userTimeout.wholeMilliseconds)
    }
  }

  private static func openUnix(
    _ name: UnixName, count: Int, backlog: Int32
  ) throws(ListenError) -> ListenSockets {
    let address = SocketAddress.unix(name)
    let socket = try refusing(address) { () throws(Errno) in
      try Descriptor.streamSocket(for: address)
    }
    let file = try bind(socket, name)
    try refusing(address) { () throws(Errno) in try socket.listen(backlog: backlog) }
    let numbers = try refusing(address) { () throws(Errno) in try share(socket, count: count) }
    return ListenSockets(address: address, numbers: numbers, isShared: true, file: file)
  }

  private static func bind(
    _ socket: borrowing Descriptor, _ name: UnixName
  ) throws(ListenError) -> FileStatus? {
    do {
      return try socket.bind(replacingStale: name)
    } catch {
      switch (error, name) {
      case (.refused(let error), _): throw .refused(.unix(name), error)
      case (.inUse, .path(let path)): throw .unixSocketInUse(path: path)
      case (.notOurs, .path(let path)): throw .notOurs(path: path)
      case (.inUse, _), (.notOurs, _): throw .refused(.unix(name), .addressInUse)
      }
    }
  }

  private static func refusing<Result: ~Copyable>(
    _ address: SocketAddress, _ body: () throws(Errno) -> Result
  ) throws(ListenError) -> Result {
    do { return try body() } catch { throw .refused(address, error) }
  }

  /// The same socket for every loop, since it cannot be opened several times.
  private static func share(
    _ socket: borrowing Descriptor, count: Int
  ) throws(Errno) -> [Int32] {
    var owners = DescriptorList(try socket.duplicate())
    for _ in 1..<max(1, count) { owners.append(try socket.duplicate()) }
    return owners.release()
  }

  /// Removes the socket's file if it is still the one that was made.
  func removeFile() {
    guard let file, case .unix(.path(let path)) = address else { return }
    file.remove(at: path)
  }
}
