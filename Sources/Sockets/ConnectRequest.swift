package import Kernel
package import Names

/// Where to connect to and how.
package struct ConnectRequest: Sendable {
  /// The time that a connection has, the asking for its name included.
  package static let defaultTimeout = Duration.seconds(10)

  /// Whom to reach.
  package enum Destination: Sendable {
    /// A host by its name, or an address in text, and a port.
    case host(String, port: UInt16)
    /// One address.
    case address(SocketAddress)
  }

  package var destination: Destination
  /// Families that may be used; at least one.
  package var families: Set<AddressFamily> = [.v4, .v6]
  /// The local addresses that connections come from, at most one of each family; a family that has
  /// none while the other has is not used.
  package var localAddresses: [IPAddress] = []
  /// The local port, 0 for any.
  package var localPort: UInt16 = 0
  /// The interface that packets leave by, by its index; it is also the scope of link-local
  /// addresses that name none.
  package var interfaceIndex: UInt32?
  /// The whole time, nil for none.
  package var timeout: Duration? = defaultTimeout
  /// The waits between attempts, and which family goes first.
  package var race = ConnectionRace.Settings()
  /// TCP_NODELAY.
  package var sendsAtOnce = true

  /// A request with the usual settings.
  package init(to destination: Destination) {
    self.destination = destination
  }
}

extension ConnectRequest {
  /// The address that a connection of a family comes from; nil when the family is not used.
  func localAddress(for family: AddressFamily) -> SocketAddress? {
    if localAddresses.isEmpty {
      return .ip(family == .v6 ? .any6 : .any4, port: localPort)
    }
    return localAddresses.first { AddressFamily(of: $0) == family }.map {
      .ip($0, port: localPort)
    }
  }

  /// Families that may be used and have a local address.
  var usableFamilies: Set<AddressFamily> {
    families.filter { localAddress(for: $0) != nil }
  }

  /// True when the kernel is to choose where the connection comes from.
  var isUnbound: Bool { localAddresses.isEmpty && localPort == 0 }
}
