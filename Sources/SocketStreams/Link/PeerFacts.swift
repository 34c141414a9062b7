internal import Kernel
internal import Security
internal import Sockets
internal import TLS

/// What a TLS peer has shown.
struct PeerFacts: Sendable {
  let trust: PeerTrust
}

extension ConnectionFacts {
  /// Takes note of a connection that stands.
  mutating func note(_ transport: Transport, _ target: ConnectionTarget) {
    nativeHandle = transport.withSocket { $0.number }
    switch target {
    case .host(let name, let port):
      remoteHost = name
      remotePort = port
    case .native, .bound:
      guard case .ip(let address, let port) = transport.peerAddress else { return }
      remoteHost = "\(address)"
      remotePort = Int(port)
    }
  }
}
