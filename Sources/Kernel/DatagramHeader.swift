internal import CKernel
internal import Glibc

/// What the kernel tells of a datagram beside its bytes.
public struct DatagramHeader: Hashable, Sendable {
  /// Where it came from; an unnamed one where a unix socket has no name.
  public var source: SocketAddress
  /// The address of this machine, or the group, that it was sent to; nil when that is not told.
  public var destination: IPAddress?
  /// The interface that it came in through, 0 when that is not told.
  public var interface: UInt32
  /// Bytes that it had; more than were kept when it was cut.
  public var fullLength: Int
  /// True when it was longer than its slot.
  public var isTruncated: Bool
  /// Bytes of each segment but the last when the kernel has joined several datagrams, else 0.
  public var segmentSize: Int
  /// The type of service or traffic class, with its two bits of ECN; 0 when that is not told.
  public var trafficClass: UInt8
  /// Datagrams that the socket has dropped for want of room so far; nil when that is not told.
  public var drops: UInt32?

  init(_ datagram: UnsafeMutablePointer<adit_datagram>) {
    let peer = unsafe SocketAddress(
      kernelForm: &datagram.pointee.peer, length: datagram.pointee.peer_length)
    source = peer ?? .unix(.unnamed)
    destination = unsafe datagram.pointee.localAddress
    interface = unsafe datagram.pointee.interface
    fullLength = unsafe Int(datagram.pointee.full_length)
    isTruncated = unsafe datagram.pointee.full_length > datagram.pointee.length
    segmentSize = unsafe Int(datagram.pointee.segment_size)
    trafficClass = unsafe datagram.pointee.traffic_class
    drops = unsafe datagram.pointee.has_drops == 0 ? nil : datagram.pointee.drops
  }

  /// How many datagrams the kernel has joined in this one, at least one.
  public var segmentCount: Int {
    guard segmentSize > 0, fullLength > 0 else { return 1 }
    return (fullLength + segmentSize - 1) / segmentSize
  }

  /// The bytes of one of the joined datagrams.
  public func segment(_ index: Int) -> Range<Int> {
    precondition(index >= 0 && index < segmentCount, "no such segment in the datagram")
    guard segmentCount > 1 else { return 0..<fullLength }
    return index * segmentSize..<min(fullLength, (index + 1) * segmentSize)
  }
}

extension adit_datagram {
  var localAddress: IPAddress? {
    var local = local
    return unsafe withUnsafeBytes(of: &local) { bytes in
      switch Int32(local_family) {
      case AF_INET: return unsafe .v4(UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self)))
      case AF_INET6:
        let upper = unsafe UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
        let lower = unsafe UInt64(
          bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        let address = IPAddress.v6(upper, lower, scope: 0)
        return address.isLinkScoped ? .v6(upper, lower, scope: interface) : address
      default: return nil
      }
    }
  }

  /// Says where a datagram goes, where from and by which interface.
  mutating func address(
    to destination: SocketAddress?, from source: IPAddress?, interface: UInt32
  ) {
    peer_length = 0
    if let destination {
      unsafe destination.withKernelForm { form, length in
        unsafe withUnsafeMutableBytes(of: &peer) { peer in
          unsafe peer.baseAddress?.copyMemory(from: form, byteCount: Int(length))
        }
        peer_length = length
      }
    }
    self.interface = interface
    // An interface alone is told with the unspecified address of the destination's family.
    var source = source
    if source == nil, interface != 0, case .ip(let address, _)? = destination {
      source = address.isIPv6 ? .any6 : .any4
    }
    setLocalAddress(source)
  }

  private mutating func setLocalAddress(_ address: IPAddress?) {
    unsafe withUnsafeMutableBytes(of: &local) { bytes in
      unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0)
      switch address {
      case .v4(let bits)?:
        unsafe bytes.storeBytes(of: bits.bigEndian, as: UInt32.self)
      case .v6(let upper, let lower, _)?:
        unsafe bytes.storeBytes(of: upper.bigEndian, as: UInt64.self)
        unsafe bytes.storeBytes(of: lower.bigEndian, toByteOffset: 8, as: UInt64.self)
      case nil: break
      }
    }
    switch address {
    case .v4?: local_family = UInt16(AF_INET)
    case .v6?: local_family = UInt16(AF_INET6)
    case nil: local_family = UInt16(AF_UNSPEC)
    }
  }
}

extension IPAddress {
  /// True for fe80::/10 and for groups of the link's scope, ff02::/16.
  public var isLinkScoped: Bool {
    switch self {
    case .v4: false
    case .v6(let upper, _, _): isLinkLocal6 || (upper >> 48) & 0xff0f == 0xff02
    }
  }

  /// True for 224.0.0.0/4 and ff00::/8.
  public var isMulticast: Bool {
    switch self {
    case .v4(let bits): bits >> 28 == 0xe
    case .v6(let upper, _, _): upper >> 56 == 0xff
    }
  }

  /// An IPv4 address as IPv6 has it for a socket of both families, `::ffff:192.0.2.1`.
  public var mapped: IPAddress {
    switch self {
    case .v4(let bits): .v6(0, 0xffff_0000_0000 | UInt64(bits), scope: 0)
    case .v6: self
    }
  }
}
