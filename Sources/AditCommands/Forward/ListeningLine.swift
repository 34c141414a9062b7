internal import Configuration
internal import Kernel

extension LogMessage {
  /// A listener is ready: `listening tcp 127.0.0.1:8080 -> 10.0.0.1:80`.
  static func listening(
    at address: SocketAddress, of listen: ListenSpecification? = nil,
    for tunnel: TunnelConfiguration,
    onTerminal: Bool
  ) -> LogMessage {
    let transport: String
    var hint = ""
    switch address {
    case .ip(let ip, let port):
      transport = listen?.transport.rawValue ?? "tcp"
      if onTerminal, ip.isLoopback { hint = " (this machine only; any:\(port) for all)" }
    case .unix: transport = "unix"
    }
    let place = transport == "unix" ? address.description : "\(transport) \(address)"
    let targets = tunnel.targets.map(\.description)
    return .info(
      "listening", "listening \(place) -> \(targets.joined(separator: ","))\(hint)",
      [
        "tunnel": .string(tunnel.name), "transport": .string(transport),
        "address": .string(address.description), "target": .array(targets.map { .string($0) }),
      ])
  }
}
