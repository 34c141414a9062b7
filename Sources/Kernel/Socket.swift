internal import CKernel
internal import Glibc

/// A connection that a listener gave out.
public struct Accepted: ~Copyable {
  private let socket: Descriptor
  /// Where it came from.
  public let peer: SocketAddress

  /// Makes a pair of a non-blocking connection and its peer.
  public init(_ socket: consuming Descriptor, from peer: SocketAddress) {
    self.socket = socket
    self.peer = peer
  }

  /// Gives the connection out, non-blocking.
  public consuming func descriptor() -> Descriptor {
    socket
  }
}

/// How far connect(2) came at once.
public enum ConnectProgress: Sendable {
  /// The connection stands.
  case connected
  /// The attempt goes on; the descriptor becomes writable when it has ended.
  case inProgress
}

/// Keepalive probes of TCP, `tcp(7)`: after `idle`, every `interval`, given up after `count`.
public struct Keepalive: Hashable, Sendable {
  /// Seconds of silence before the first probe.
  public var idleSeconds: Int32
  /// Seconds between probes.
  public var intervalSeconds: Int32
  /// Unanswered probes after which the connection is dead.
  public var count: Int32

  /// Makes a set of keepalive times.
  public init(idleSeconds: Int32, intervalSeconds: Int32, count: Int32) {
    self.idleSeconds = idleSeconds
    self.intervalSeconds = intervalSeconds
    self.count = count
  }
}

extension Descriptor {
  /// Opens a non-blocking stream socket of the family that `address` needs.
  public static func streamSocket(for address: SocketAddress) throws(Errno) -> Descriptor {
    let type = Int32(SOCK_STREAM.rawValue)
    return Descriptor(adopting: try check(adit_socket(address.family, type)))
  }

  /// Begins a connection. That it goes on (EINPROGRESS) is no error.
  public borrowing func connect(to address: SocketAddress) throws(Errno) -> ConnectProgress {
    let number = self.number
    let result = unsafe address.withKernelForm { form, length in
      unsafe adit_connect(number, form, length)
    }
    if -result == EINPROGRESS { return .inProgress }
    _ = try check(result)
    return .connected
  }

  /// Gives the socket its own address.
  public borrowing func bind(to address: SocketAddress) throws(Errno) {
    let number = self.number
    let result = unsafe address.withKernelForm { form, length in
      unsafe adit_bind(number, form, length)
    }
    _ = try check(result)
  }

  /// Begins to accept connections; the kernel holds at most `backlog` (and its own limit) waiting.
  public borrowing func listen(backlog: Int32) throws(Errno) {
    _ = try check(adit_listen(number, backlog))
  }

  /// The next waiting connection; nil when none waits.
  public borrowing func accept() throws(Errno) -> Accepted? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = unsafe adit_accept(number, &storage, &length)
    if -result == EAGAIN { return nil }
    let descriptor = Descriptor(adopting: try check(result))
    let peer = SocketAddress(kernelForm: &storage, length: length) ?? .unix(.unnamed)
    return Accepted(descriptor, from: peer)
  }

  /// The socket's own address, getsockname(2).
  public borrowing func localAddress() throws(Errno) -> SocketAddress {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    _ = try check(unsafe adit_local_address(number, &storage, &length))
    guard let address = SocketAddress(kernelForm: &storage, length: length) else {
      throw .addressFamilyNotSupported
    }
    return address
  }

  /// The peer's address, getpeername(2).
  public borrowing func remoteAddress() throws(Errno) -> SocketAddress {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    _ = try check(unsafe adit_remote_address(number, &storage, &length))
    guard let address = SocketAddress(kernelForm: &storage, length: length) else {
      throw .addressFamilyNotSupported
    }
    return address
  }

  /// Takes the socket's pending error, SO_ERROR; nil when there is none.
  public borrowing func takeError() throws(Errno) -> Errno? {
    let code = try check(adit_take_error(number))
    return code == 0 ? nil : Errno(rawValue: code)
  }

  /// Sets one boolean or numeric option.
  public borrowing func set(_ option: SocketOption, _ value: Int32) throws(Errno) {
    _ = try check(adit_set_option(number, option.level, option.name, value))
  }

  /// Reads one boolean or numeric option.
  public borrowing func get(_ option: SocketOption) throws(Errno) -> Int32 {
    var value: Int32 = 0
    _ = try check(unsafe adit_option(number, option.level, option.name, &value))
    return value
  }

  /// Turns TCP's keepalive probes on.
  public borrowing func set(_ keepalive: Keepalive) throws(Errno) {
    try set(.keepalive, 1)
    try set(.keepaliveIdle, keepalive.idleSeconds)
    try set(.keepaliveInterval, keepalive.intervalSeconds)
    try set(.keepaliveCount, keepalive.count)
  }
}

/// A numeric option of a socket, by level and name.
public struct SocketOption: Hashable, Sendable {
  let level: Int32
  let name: Int32

  /// SO_REUSEADDR: bind although old connections of the port linger.
  public static let reuseAddress = SocketOption(level: SOL_SOCKET, name: SO_REUSEADDR)
  /// SO_REUSEPORT: several sockets on one port, connections shared out by the kernel.
  public static let reusePort = SocketOption(level: SOL_SOCKET, name: SO_REUSEPORT)
  /// What `type` is for a stream socket: SOCK_STREAM.
  public static let streamType = Int32(SOCK_STREAM.rawValue)
  /// SO_TYPE: SOCK_STREAM, SOCK_DGRAM and so on; to read.
  public static let type = SocketOption(level: SOL_SOCKET, name: SO_TYPE)
  /// SO_ACCEPTCONN: 1 for a listening socket; to read.
  public static let isListening = SocketOption(level: SOL_SOCKET, name: SO_ACCEPTCONN)
  /// SO_SNDBUF: bytes of the send buffer.
  public static let sendBuffer = SocketOption(level: SOL_SOCKET, name: SO_SNDBUF)
  /// SO_RCVBUF: bytes of the receive buffer.
  public static let receiveBuffer = SocketOption(level: SOL_SOCKET, name: SO_RCVBUF)
  /// SO_RCVBUFFORCE: beyond `net.core.rmem_max`, for who may administer the network.
  public static let forcedReceiveBuffer = SocketOption(level: SOL_SOCKET, name: SO_RCVBUFFORCE)
  /// IPV6_V6ONLY: an IPv6 socket that takes no mapped IPv4.
  public static let ipv6Only = SocketOption(level: Int32(IPPROTO_IPV6), name: IPV6_V6ONLY)
  /// TCP_NODELAY: small segments are sent at once.
  public static let noDelay = SocketOption(level: Int32(IPPROTO_TCP), name: TCP_NODELAY)
  /// SO_OOBINLINE: TCP's urgent byte stays in the stream, where it was sent.
  public static let urgentInline = SocketOption(level: SOL_SOCKET, name: SO_OOBINLINE)
  /// TCP_USER_TIMEOUT: milliseconds that sent bytes may stay unacknowledged; 0 for the system's.
  public static let userTimeout = SocketOption(level: Int32(IPPROTO_TCP), name: 18)

  static let keepalive = SocketOption(level: SOL_SOCKET, name: SO_KEEPALIVE)
  static let keepaliveIdle = SocketOption(level: Int32(IPPROTO_TCP), name: TCP_KEEPIDLE)
  static let keepaliveInterval = SocketOption(level: Int32(IPPROTO_TCP), name: TCP_KEEPINTVL)
  static let keepaliveCount = SocketOption(level: Int32(IPPROTO_TCP), name: TCP_KEEPCNT)
}
