internal import CKernel
internal import Glibc

/// A multicast group, and who of its senders is listened to where.
public struct MulticastGroup: Hashable, Sendable {
  /// The group's address.
  public var address: IPAddress
  /// The interface's index; 0 leaves the choice to the routes.
  public var interface: UInt32
  /// The one sender that is listened to (RFC 4607); nil for all.
  public var source: IPAddress?

  /// Makes a group. A scope in the address is its interface unless one is given.
  public init(_ address: IPAddress, interface: UInt32 = 0, source: IPAddress? = nil) {
    self.address = address
    self.interface = interface
    self.source = source
    if interface == 0, case .v6(_, _, let scope) = address { self.interface = scope }
  }
}

extension MulticastGroup: CustomStringConvertible {
  /// `group 224.0.0.251 on interface 2 from 192.0.2.1`.
  public var description: String {
    let place = interface == 0 ? "" : " on interface \(interface)"
    return "group \(address)\(place)" + (source.map { " from \($0)" } ?? "")
  }
}

extension Descriptor {
  /// Opens a non-blocking datagram socket of the family that `address` needs.
  public static func datagramSocket(for address: SocketAddress) throws(Errno) -> Descriptor {
    let type = Int32(SOCK_DGRAM.rawValue)
    return Descriptor(adopting: try check(adit_socket(address.family, type)))
  }

  /// Sends one datagram from the caller's bytes; false when the socket has no room.
  public borrowing func send(
    datagram bytes: RawSpan, to destination: SocketAddress? = nil, from source: IPAddress? = nil,
    interface: UInt32 = 0
  ) throws(Errno) -> Bool {
    var header = adit_datagram()
    header.address(to: destination, from: source, interface: interface)
    let number = self.number
    let result = unsafe bytes.withUnsafeBytes { bytes in
      unsafe adit_datagram_send(number, bytes.baseAddress, bytes.count, &header)
    }
    if -result == EAGAIN { return false }
    _ = try check(result)
    return true
  }

  /// Listens to a group; one socket may be in any number.
  public borrowing func join(_ group: MulticastGroup) throws(Errno) {
    try change(group, joins: true)
  }

  /// Does not listen to a group any more.
  public borrowing func leave(_ group: MulticastGroup) throws(Errno) {
    try change(group, joins: false)
  }

  private borrowing func change(_ group: MulticastGroup, joins: Bool) throws(Errno) {
    let number = self.number
    let address = SocketAddress.ip(group.address, port: 0)
    guard let source = group.source else {
      _ = try check(
        unsafe address.withKernelForm { form, length in
          unsafe adit_group(number, joins, group.interface, form, length)
        })
      return
    }
    guard source.isIPv6 == group.address.isIPv6 else { throw .invalidArgument }
    let result = unsafe address.withKernelForm { form, length in
      unsafe SocketAddress.ip(source, port: 0).withKernelForm { source, _ in
        unsafe adit_source_group(number, joins, group.interface, form, source, length)
      }
    }
    _ = try check(result)
  }

  /// Sends IPv4 multicast out of an interface; 0 leaves it to the routes.
  public borrowing func setMulticastInterface4(_ interface: UInt32) throws(Errno) {
    _ = try check(adit_multicast_interface4(number, interface))
  }

  /// Ties the socket to an interface, SO_BINDTODEVICE; an empty name unties it.
  public borrowing func bind(toDevice name: String) throws(Errno) {
    guard name.utf8.count < Int(IF_NAMESIZE), !name.utf8.contains(0) else {
      throw .invalidArgument
    }
    _ = try check(unsafe adit_bind_to_device(number, name))
  }

  /// Undoes connect(2) on a datagram socket: it takes datagrams of all again.
  public borrowing func disconnect() throws(Errno) {
    _ = try check(adit_disconnect(number))
  }
}

extension SocketOption {
  /// What `type` is for a datagram socket: SOCK_DGRAM.
  public static let datagramType = Int32(SOCK_DGRAM.rawValue)
  /// SO_DOMAIN: the address family; to read.
  public static let family = SocketOption(level: SOL_SOCKET, name: SO_DOMAIN)
  /// What `family` is for IPv6: AF_INET6.
  public static let family6 = AF_INET6
  /// What `family` is for IPv4: AF_INET.
  public static let family4 = AF_INET
  /// SO_BROADCAST: sending to a broadcast address is permitted.
  public static let broadcast = SocketOption(level: SOL_SOCKET, name: SO_BROADCAST)
  /// SO_RXQ_OVFL: each datagram tells how many were dropped.
  public static let dropCounter = SocketOption(level: SOL_SOCKET, name: SO_RXQ_OVFL)
  /// IP_PKTINFO: each datagram tells its destination and interface.
  public static let packetInformation4 = SocketOption(level: ip4, name: IP_PKTINFO)
  /// IPV6_RECVPKTINFO.
  public static let packetInformation6 = SocketOption(level: ip6, name: IPV6_RECVPKTINFO)
  /// UDP_GRO: the kernel joins datagrams of one sender and one size.
  public static let joinedReceiving = SocketOption(level: Int32(IPPROTO_UDP), name: 104)
  /// UDP_SEGMENT; to find out whether the kernel has it.
  public static let segmentSize = SocketOption(level: Int32(IPPROTO_UDP), name: 103)
  /// IP_RECVTOS: each datagram tells its type of service.
  public static let receivedTrafficClass4 = SocketOption(level: ip4, name: IP_RECVTOS)
  /// IPV6_RECVTCLASS.
  public static let receivedTrafficClass6 = SocketOption(level: ip6, name: IPV6_RECVTCLASS)
  /// IP_TOS: the type of service of what is sent.
  public static let trafficClass4 = SocketOption(level: ip4, name: IP_TOS)
  /// IPV6_TCLASS.
  public static let trafficClass6 = SocketOption(level: ip6, name: IPV6_TCLASS)
  /// IP_TTL: routers that a datagram may pass.
  public static let hopLimit4 = SocketOption(level: ip4, name: IP_TTL)
  /// IPV6_UNICAST_HOPS.
  public static let hopLimit6 = SocketOption(level: ip6, name: IPV6_UNICAST_HOPS)
  /// IP_MULTICAST_TTL: 0 stays on this machine, 1 on the link.
  public static let multicastHopLimit4 = SocketOption(level: ip4, name: IP_MULTICAST_TTL)
  /// IPV6_MULTICAST_HOPS.
  public static let multicastHopLimit6 = SocketOption(level: ip6, name: IPV6_MULTICAST_HOPS)
  /// IP_MULTICAST_LOOP: members on this machine receive what is sent.
  public static let multicastLoop4 = SocketOption(level: ip4, name: IP_MULTICAST_LOOP)
  /// IPV6_MULTICAST_LOOP.
  public static let multicastLoop6 = SocketOption(level: ip6, name: IPV6_MULTICAST_LOOP)
  /// IPV6_MULTICAST_IF: the index of the interface that multicast goes out of.
  public static let multicastInterface6 = SocketOption(level: ip6, name: IPV6_MULTICAST_IF)
  /// IP_MULTICAST_ALL: 0 keeps out groups that only other sockets have joined.
  public static let othersGroups4 = SocketOption(level: ip4, name: 49)
  /// IPV6_MULTICAST_ALL.
  public static let othersGroups6 = SocketOption(level: ip6, name: 29)

  private static let ip4 = Int32(IPPROTO_IP)
  private static let ip6 = Int32(IPPROTO_IPV6)
}

extension Errno {
  /// EBADF: the descriptor is not open.
  public static let badDescriptor = Errno(rawValue: EBADF)
  /// EMSGSIZE: longer than a datagram can be.
  public static let messageTooLong = Errno(rawValue: EMSGSIZE)
  /// EHOSTUNREACH: no router knows the way.
  public static let hostUnreachable = Errno(rawValue: EHOSTUNREACH)
  /// EDESTADDRREQ: there is neither a destination nor a connected peer.
  public static let destinationRequired = Errno(rawValue: EDESTADDRREQ)
  /// EISCONN.
  public static let alreadyConnected = Errno(rawValue: EISCONN)
  /// ENODEV: no such interface.
  public static let noSuchDevice = Errno(rawValue: ENODEV)
  /// EPERM.
  public static let notPermitted = Errno(rawValue: EPERM)
  /// ENOPROTOOPT: the kernel or the socket has no such option.
  public static let noSuchOption = Errno(rawValue: ENOPROTOOPT)
}
