internal import Configuration
internal import Kernel

/// What a listener is known by from one configuration to the next.
struct ListenerKey: Hashable, Sendable {
  let listen: ListenSpecification
  /// The tunnel, for a free port: such listeners are alike and cannot be told apart otherwise.
  let tunnel: String?
  /// Counts listeners that are alike in all else.
  let ordinal: Int
}

/// The difference between two configurations: what to do so that the new one holds and nothing else
/// is touched.
///
/// A listener is kept wherever both have the same LISTEN, even in a tunnel of another name: its new
/// flows then belong to that tunnel.
struct ReloadPlan: Hashable, Sendable {
  /// A listener and the tunnel that it is for from now on.
  struct Assignment: Hashable, Sendable {
    let key: ListenerKey
    let tunnel: TunnelConfiguration
  }

  /// New listeners.
  private(set) var opened: [Assignment] = []
  /// Listeners that stay open and get another tunnel for their new flows.
  private(set) var updated: [Assignment] = []
  /// Listeners that go.
  private(set) var closed: [ListenerKey] = []

  // Names of tunnels, in the order of the file.
  private(set) var added: [String] = []
  private(set) var changed: [String] = []
  private(set) var removed: [String] = []
  private(set) var unchanged: [String] = []
  /// Tunnels whose kept listeners hold on to a setting until they are opened anew.
  private(set) var bound: [String] = []

  init(from old: [TunnelConfiguration], to new: [TunnelConfiguration]) {
    let present = ReloadPlan.listeners(of: old)
    let wanted = ReloadPlan.listeners(of: new)
    let presentTunnels = Dictionary(
      present.map { ($0.key, $0.tunnel) }, uniquingKeysWith: { first, _ in first })
    let wantedKeys = Set(wanted.map(\.key))
    for assignment in wanted {
      guard let tunnel = presentTunnels[assignment.key] else {
        opened.append(assignment)
        continue
      }
      if !tunnel.carries(like: assignment.tunnel) { updated.append(assignment) }
      if !tunnel.binds(like: assignment.tunnel), !bound.contains(assignment.tunnel.name) {
        bound.append(assignment.tunnel.name)
      }
    }
    closed = present.map(\.key).filter { !wantedKeys.contains($0) }
    compareNames(old, new)
  }

  /// All listeners of a configuration, in its order.
  static func listeners(of tunnels: [TunnelConfiguration]) -> [Assignment] {
    var seen: [ListenerKey: Int] = [:]
    return tunnels.flatMap { tunnel in
      tunnel.listen.map { listen in
        var owner: String?
        if listen.bind?.port == 0 { owner = tunnel.name }
        let first = ListenerKey(listen: listen, tunnel: owner, ordinal: 0)
        let ordinal = seen[first, default: 0]
        seen[first] = ordinal + 1
        return Assignment(
          key: ListenerKey(listen: listen, tunnel: owner, ordinal: ordinal), tunnel: tunnel)
      }
    }
  }

  private mutating func compareNames(
    _ old: [TunnelConfiguration], _ new: [TunnelConfiguration]
  ) {
    let before = Dictionary(old.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    for tunnel in new {
      switch before[tunnel.name] {
      case nil: added.append(tunnel.name)
      case tunnel: unchanged.append(tunnel.name)
      case .some: changed.append(tunnel.name)
      }
    }
    let names = Set(new.map(\.name))
    removed = old.map(\.name).filter { !names.contains($0) }
  }

  /// `1 added (web), 2 changed (mail, dns), 5 unchanged`.
  var summary: String {
    let parts = [
      ("added", added), ("changed", changed), ("removed", removed), ("unchanged", unchanged),
    ]
    return parts.filter { !$0.1.isEmpty }.map { word, names in
      let list = word == "unchanged" ? "" : " (\(names.joined(separator: ", ")))"
      return "\(names.count) \(word)\(list)"
    }.joined(separator: ", ")
  }
}

extension TunnelConfiguration {
  /// True when flows are treated alike, wherever they come in.
  fileprivate func carries(like other: TunnelConfiguration) -> Bool {
    var same = other
    same.listen = listen
    same.start = start
    return self == same
  }

  /// True when listening sockets are made alike.
  fileprivate func binds(like other: TunnelConfiguration) -> Bool {
    keepalive == other.keepalive && userTimeout == other.userTimeout
      && backlog == other.backlog && noDelay == other.noDelay
      && receiveBuffer == other.receiveBuffer
  }
}

extension ReloadPlan {
  /// A new listener that shares a port with an open one of `old`: the kernel would refuse it, and
  /// closing the open one first could not be undone.
  static func overlap(
    of listen: ListenSpecification, with old: [TunnelConfiguration]
  ) -> StartError? {
    for tunnel in old {
      for open in tunnel.listen where open != listen && overlaps(open, listen) {
        return .overlap(
          listen.description, open: open.description, tunnel: tunnel.name)
      }
    }
    return nil
  }

  private static func overlaps(_ left: ListenSpecification, _ right: ListenSpecification) -> Bool {
    guard left.isDatagram == right.isDatagram, let mine = left.bind, let other = right.bind,
      mine.port == other.port, mine.port != 0
    else { return false }
    return mine.address.addresses.contains { mine in
      other.address.addresses.contains { other in
        mine.isIPv6 == other.isIPv6
          && (mine == other || mine.isUnspecified || other.isUnspecified)
      }
    }
  }
}
