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
    let wanted = request.address
    do {
      let socket = try Descriptor.streamSocket(for: wanted)
      switch wanted {
      case .ip(let ip, _):
        try socket.set(.reuseAddress, 1)
        try socket.set(.noDelay, 1)
        if request.sharesPort { try socket.set(.reusePort, 1) }
        if ip.isIPv6 { try socket.set(.ipv6Only, 1) }
        if let index = request.interfaceIndex { try socket.stay(onInterface: index) }
        try socket.bind(to: wanted)
        file = nil
      case .unix(let name): file = try ListeningSocket.bind(socket, to: name)
      }
      try socket.listen(backlog: request.backlog)
      address = try socket.localAddress()
      self.socket = consume socket
    } catch let error as SocketError {
      throw error
    } catch let error as Errno {
      throw .system(error, doing: "listening at \(wanted)")
    } catch {
      preconditionFailure("the system fails with error numbers only")
    }
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
