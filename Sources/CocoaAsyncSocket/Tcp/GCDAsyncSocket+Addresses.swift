internal import Foundation
internal import Kernel

extension GCDAsyncSocket {
  /// Where a connection is: both ends with their ports.
  public struct AddressPair: Hashable, Sendable {
    /// The host on this side in text.
    public let localHost: String
    /// The port on this side.
    public let localPort: UInt16
    /// The peer's host in text.
    public let remoteHost: String
    /// The peer's port.
    public let remotePort: UInt16
  }

  /// The four parts of the connection's address; nil while there is none, and for unix sockets.
  public var addresses: AddressPair? {
    guard let remote, let local, case .ip(let far, let farPort) = remote,
      case .ip(let near, let nearPort) = local
    else { return nil }
    return AddressPair(
      localHost: "\(near)", localPort: nearPort, remoteHost: "\(far)", remotePort: farPort)
  }

  var remote: SocketAddress? { state.withLock { $0.remote } }
  var hostName: String? { state.withLock { $0.hostName } }
  var local: SocketAddress? { state.withLock { $0.locals.first } }

  var descriptionOfAddresses: String {
    let (local, remote, name) = (self.local, self.remote, "GCDAsyncSocket \(identifier)")
    switch (local, remote) {
    case (nil, _): return "<\(name)>"
    case (let local?, nil): return "<\(name) at \(local)>"
    case (let local?, let remote?): return "<\(name) from \(local) to \(remote)>"
    }
  }
}

extension SocketState {
  var isIdle: Bool {
    switch phase {
    case .idle: true
    case .listening, .connecting, .connected: false
    }
  }

  var isConnected: Bool {
    switch phase {
    case .connected: true
    case .idle, .listening, .connecting: false
    }
  }

  /// Whether a socket of such an address is open.
  func uses(_ isWanted: (IPAddress) -> Bool) -> Bool {
    (remote.map { [$0] } ?? locals).contains { address in address.ip.map(isWanted) ?? false }
  }
}

extension SocketAddress {
  var ip: IPAddress? {
    switch self {
    case .ip(let address, _): address
    case .unix: nil
    }
  }

  /// The address in text; nil for a unix socket.
  var hostText: String? { ip.map { "\($0)" } }

  var url: URL? {
    switch self {
    case .ip: nil
    case .unix(let name): name.url
    }
  }
}

extension UnixName {
  /// The file's URL; for a name that is no file the nearest that a URL can say.
  var url: URL {
    switch self {
    case .path(let path): URL(fileURLWithPath: path)
    case .abstract(let name): URL(fileURLWithPath: "@\(name)")
    case .unnamed: URL(fileURLWithPath: "/")
    }
  }
}
