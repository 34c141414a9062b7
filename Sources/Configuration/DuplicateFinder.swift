internal import Kernel

/// Finds tunnels of one file that have the same name or listen at the same place.
struct DuplicateFinder {
  /// A problem to tell: where, of which key, and what.
  typealias Finding = (place: TOMLPlace, key: String, fault: DocumentFault)

  /// What only one listener can have. Two sockets with `SO_REUSEPORT` would share it silently.
  private enum Claim: Hashable {
    case socket(SocketAddress)
    case datagrams(SocketAddress)
    case inherited(String)
  }

  private struct Owner {
    var tunnel: TOMLPlace
    var name: String
  }

  private var names: [String: Int] = [:]
  private var owners: [Claim: Owner] = [:]

  /// Checks a tunnel against those before it and takes what it claims.
  mutating func check(
    _ entries: [TOMLEntry], of tunnel: TunnelConfiguration, at place: TOMLPlace
  ) -> [Finding] {
    var findings: [Finding] = []
    for entry in entries where entry.key == "name" && !tunnel.name.isEmpty {
      if let line = names[tunnel.name] {
        findings.append(
          (entry.node.place, "tunnel.name", .duplicateName(tunnel.name, line: line)))
      } else {
        names[tunnel.name] = place.line
      }
    }
    let owner = Owner(tunnel: place, name: tunnel.name)
    for entry in entries where entry.key == "listen" {
      for (listen, place) in DuplicateFinder.listens(in: entry.node) {
        guard let fault = claim(listen, for: owner) else { continue }
        findings.append((place, "tunnel.listen", fault))
      }
    }
    return findings
  }

  /// What stands in a value of `listen`, with places; what does not read was reported already.
  private static func listens(in node: TOMLNode) -> [(ListenSpecification, TOMLPlace)] {
    switch node.value {
    case .string(let text):
      guard let listen = try? ListenSpecification(text) else { return [] }
      return [(listen, node.place)]
    case .array(let nodes):
      return nodes.prefix(ConfigurationFile.listLimit).flatMap { inner in
        if case .string = inner.value { return listens(in: inner) }
        return []
      }
    case .table, .integer, .float, .boolean, .dateTime: return []
    }
  }

  private mutating func claim(
    _ listen: ListenSpecification, for owner: Owner
  ) -> DocumentFault? {
    let claims = DuplicateFinder.claims(listen)
    for claim in claims {
      guard let other = owners[claim] else { continue }
      let isOwn = other.tunnel == owner.tunnel
      return .duplicateListen(
        listen.description, tunnel: isOwn ? nil : other.name, line: other.tunnel.line)
    }
    for claim in claims { owners[claim] = owner }
    return nil
  }

  private static func claims(_ listen: ListenSpecification) -> [Claim] {
    switch listen {
    case .ip(_, port: 0), .udp(_, port: 0), .ftp(_, port: 0): []
    case .ip(let address, let port), .ftp(let address, let port):
      address.addresses.map { .socket(.ip($0, port: port)) }
    case .udp(let address, let port): address.addresses.map { .datagrams(.ip($0, port: port)) }
    case .unix(let name): [.socket(.unix(name))]
    case .inherited(let name): [.inherited(name)]
    }
  }
}
