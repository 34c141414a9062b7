package import Kernel

/// How to listen.
package struct ListenRequest: Sendable {
  /// Connections that wait in the kernel; it holds at most `net.core.somaxconn`.
  package static let defaultBacklog: Int32 = 4096

  /// Where; port 0 takes a free one. The unspecified IPv6 address takes IPv6 only.
  package var address: SocketAddress
  /// Connections that may wait in the kernel.
  package var backlog = ListenRequest.defaultBacklog
  /// SO_REUSEPORT: others may listen at the same address and share the connections.
  package var sharesPort = false
  /// The interface that connections come by, by its index.
  package var interfaceIndex: UInt32?

  /// A request with the usual settings.
  package init(at address: SocketAddress) {
    self.address = address
  }
}

/// A socket that listens, and the unix socket's file that was made for it.
package struct ListeningSocket: ~Copyable {
  private let socket: Descriptor
  /// Where it listens.
  package let address: SocketAddress
  /// The file of a unix socket.
  package let file: FileStatus?

  /// Opens a listening socket. The stale file of a unix socket of this user is replaced.
  package init(_ request: ListenRequest) throws(SocketError) {
    let address = request.address
    let opened = try ListeningSocket.refusing(address) { () throws(Errno) in
      try Descriptor.streamSocket(for: address)
    }
    let file = try ListeningSocket.bind(opened, for: request)
    self.address = try ListeningSocket.refusing(address) { () throws(Errno) in
      try opened.listen(backlog: request.backlog)
      return try opened.localAddress()
    }
    self.file = file
    socket = opened
  }

  private static func refusing<Value: ~Copyable>(
    _ address: SocketAddress, _ body: () throws(Errno) -> Value
  ) throws(SocketError) -> Value {
    do { return try body() } catch { throw .system(error, doing: "listening at \(address)") }
  }

  /// Gives the socket its address; returns the file that was made for it.
  private static func bind(
    _ socket: borrowing Descriptor, for request: ListenRequest
  ) throws(SocketError) -> FileStatus? {
    switch request.address {
    case .ip(let ip, _):
      try refusing(request.address) { () throws(Errno) in
        try prepare(socket, for: request, isIPv6: ip.isIPv6)
        try socket.bind(to: request.address)
      }
      return nil
    case .unix(let name): return try bind(socket, to: name)
    }
  }

  private static func prepare(
    _ socket: borrowing Descriptor, for request: ListenRequest, isIPv6: Bool
  ) throws(Errno) {
    try socket.set(.reuseAddress, 1)
    try socket.set(.noDelay, 1)
    if request.sharesPort { try socket.set(.reusePort, 1) }
    if isIPv6 { try socket.set(.ipv6Only, 1) }
    if let index = request.interfaceIndex { try socket.stay(onInterface: index) }
  }

  private static func bind(
    _ socket: borrowing Descriptor, to name: UnixName
  ) throws(SocketError) -> FileStatus? {
    do {
      return try socket.bind(replacingStale: name)
    } catch {
      let place = "\(SocketAddress.unix(name))"
      switch error {
      case .refused(let error): throw .system(error, doing: "listening at \(place)")
      case .inUse: throw .system(.addressInUse, doing: "listening at \(place)")
      case .notOurs:
        throw .invalid(
          "\(place) is there and is no socket of this user", expected: "a path that is free")
      }
    }
  }

  /// Gives the socket out.
  package consuming func descriptor() -> Descriptor {
    socket
  }
}
