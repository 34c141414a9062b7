internal import Kernel

/// What a caller means by an interface: a name, an address of one, `localhost`, or nothing.
enum UdpInterface {
  /// Every interface.
  case any
  /// This machine only.
  case loopback
  /// One address.
  case address(IPAddress)
  /// An interface, with its addresses.
  case named(index: UInt32, [IPAddress])

  init(_ text: String?) throws(GCDAsyncUdpSocketError) {
    guard let text, !text.isEmpty else {
      self = .any
      return
    }
    if text == "localhost" || text == "loopback" {
      self = .loopback
      return
    }
    if let address = IPAddress(text) {
      self = .address(address)
      return
    }
    guard Interface.index(named: text) != nil, let all = try? InterfaceAddress.all() else {
      throw UdpFailure.parameter("unknown interface “\(text)”: a name or an address is expected")
    }
    let index = Interface.index(named: text) ?? 0
    self = .named(index: index, all.filter { $0.interface == index }.map(\.address))
  }

  /// The address to bind a family's socket to; nil when the interface has none of the family.
  ///
  /// For an interface by its name that is every address: a socket bound to one address receives
  /// neither what is sent to a group nor broadcasts. What comes by another way is left out by
  /// `UdpAdmission`.
  func bindAddress(isIPv6: Bool) -> IPAddress? {
    switch self {
    case .any: isIPv6 ? .any6 : .any4
    case .loopback: isIPv6 ? .loopback6 : .loopback4
    case .address(let address): address.isIPv6 == isIPv6 ? address : nil
    case .named(_, let addresses):
      addresses.contains { $0.isIPv6 == isIPv6 } ? (isIPv6 ? .any6 : .any4) : nil
    }
  }

  /// The index of the interface that is meant, 0 when the routes are to choose; nil when no
  /// interface of this machine has the address.
  var index: UInt32? {
    switch self {
    case .any: return 0
    case .loopback: return Interface.index(named: "lo")
    case .named(let index, _): return index
    case .address(let address):
      guard let all = try? InterfaceAddress.all() else { return nil }
      return all.first { $0.address.isSame(as: address) }?.interface
    }
  }

  var admission: UdpAdmission? {
    switch self {
    case .any, .loopback, .address: nil
    case .named(let index, let addresses): UdpAdmission(interface: index, addresses: addresses)
    }
  }
}

/// What a socket that is bound to an interface takes: what comes in through it, and what is sent to
/// one of its addresses from this machine.
struct UdpAdmission {
  let interface: UInt32
  let addresses: [IPAddress]

  func admits(_ header: DatagramHeader) -> Bool {
    if header.interface == interface { return true }
    guard let destination = header.destination else { return false }
    return addresses.contains { $0.isSame(as: destination) }
  }

  /// The address that what is sent to `destination` comes from.
  func source(for destination: IPAddress) -> IPAddress? {
    let family = addresses.filter { $0.isIPv6 == destination.isIPv6 }
    return family.first { $0.isLinkLocal6 == destination.isLinkLocal6 } ?? family.first
  }
}

extension IPAddress {
  /// True for the same address, whatever scopes are written beside it.
  func isSame(as other: IPAddress) -> Bool {
    switch (self, other) {
    case (.v4(let mine), .v4(let others)): mine == others
    case (.v6(let upper, let lower, _), .v6(let otherUpper, let otherLower, _)):
      upper == otherUpper && lower == otherLower
    case (.v4, .v6), (.v6, .v4): false
    }
  }
}
