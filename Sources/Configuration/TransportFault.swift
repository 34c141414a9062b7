/// What does not go with what a tunnel carries.
public enum TransportFault: Hashable, Sendable {
  /// A key about connections, in a tunnel that has none.
  case needsConnections(key: String)
  /// A key about datagrams, in a tunnel that has none.
  case needsDatagrams(key: String)
  /// A unix socket as the target of datagrams.
  case unixTarget(String)
  /// A target for UDP behind a listener for connections.
  case datagramTarget(String)

  var code: String {
    switch self {
    case .needsConnections: "key-needs-tcp"
    case .needsDatagrams: "key-needs-udp"
    case .unixTarget: "target-unix-udp"
    case .datagramTarget: "target-udp"
    }
  }

  var what: String {
    switch self {
    case .needsConnections(let key): "\(quoted(key)) is about connections, and UDP has none"
    case .needsDatagrams(let key): "\(quoted(key)) is about UDP, and this tunnel listens for none"
    case .unixTarget(let target): "UDP cannot be carried to \(quoted(target))"
    case .datagramTarget(let target):
      "\(quoted(target)) takes UDP, and this tunnel listens for connections"
    }
  }

  var expected: String {
    switch self {
    case .needsConnections, .needsDatagrams: "leave it out"
    case .unixTarget: "write HOST:PORT"
    case .datagramTarget: "write udp:// or PORT/udp where it listens, or no scheme here"
    }
  }
}

extension TunnelConfiguration {
  /// Keys that only connections have a use for.
  static let connectionKeys: Set<String> = [
    "connect-timeout", "half-closed-idle", "reset-drain", "user-timeout", "half-close", "no-delay",
    "backlog", "keepalive", "keepalive.idle", "keepalive.interval", "keepalive.count",
  ]
  /// Keys that only datagrams have a use for.
  static let datagramKeys: Set<String> = ["receive-buffer", "limits.flows-per-source"]

  /// True when it listens for UDP, perhaps beside connections.
  public var carriesDatagrams: Bool { listen.contains(where: \.isDatagram) }
  /// True when it listens for connections, perhaps beside UDP.
  public var carriesConnections: Bool { listen.contains { !$0.isDatagram } }

  /// What is wrong with a key that is written for this tunnel; nil when it is of use.
  public func transportFault(ofKey key: String) -> TransportFault? {
    guard !listen.isEmpty else { return nil }
    if !carriesConnections, TunnelConfiguration.connectionKeys.contains(key) {
      return .needsConnections(key: key)
    }
    if !carriesDatagrams, TunnelConfiguration.datagramKeys.contains(key) {
      return .needsDatagrams(key: key)
    }
    return nil
  }

  /// What is wrong with the first target that does not go with a listener; nil when all do.
  public var targetFault: TransportFault? {
    for target in targets {
      switch target {
      case .unix where carriesDatagrams: return .unixTarget(target.description)
      case .udp where carriesConnections: return .datagramTarget(target.description)
      case .unix, .udp, .host, .address: break
      }
    }
    return nil
  }
}

extension FileReader {
  /// Notes what is written for a tunnel and does not go with what it carries.
  mutating func checkTransport(
    _ entries: [TOMLEntry], of tunnel: TunnelConfiguration, in group: String = ""
  ) {
    for entry in entries {
      let key = group + entry.key
      if let fault = tunnel.transportFault(ofKey: key) {
        add(at: entry.place, key: "tunnel.\(key)") { .transport(fault) }
      } else if case .table(let inner) = entry.node.value {
        checkTransport(inner, of: tunnel, in: key + ".")
      } else if key == "target", let fault = tunnel.targetFault {
        add(at: entry.node.place, key: "tunnel.target") { .transport(fault) }
      }
    }
  }
}
