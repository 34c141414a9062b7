internal import Glibc
internal import Kernel

/// The addresses of network interfaces.
enum InterfaceAddresses {
  /// The first address of each family of an interface, IPv4 first; of IPv6 rather one that is valid
  /// beyond the link.
  static func of(_ index: UInt32) -> [IPAddress] {
    let name = Interface.name(of: index)
    let all = list().filter { $0.name == name }.map(\.address)
    let v4 = all.first { !$0.isIPv6 }
    let v6 = all.first { $0.isIPv6 && !$0.isLinkLocal6 } ?? all.first { $0.isIPv6 }
    return [v4, v6?.scoped(index)].compactMap { $0 }
  }

  private static func list() -> [(name: String, address: IPAddress)] {
    var first: UnsafeMutablePointer<ifaddrs>?
    // The list is ours until it is freed.
    guard unsafe getifaddrs(&first) == 0 else { return [] }
    defer { unsafe freeifaddrs(first) }
    var found: [(String, IPAddress)] = []
    var next = unsafe first
    while let entry = unsafe next {
      // An interface without an address has an entry too.
      if let address = unsafe entry.pointee.ifa_addr.flatMap({ unsafe ip($0) }) {
        unsafe found.append((String(cString: entry.pointee.ifa_name), address))
      }
      unsafe next = unsafe entry.pointee.ifa_next
    }
    return found
  }

  private static func ip(_ form: UnsafeMutablePointer<sockaddr>) -> IPAddress? {
    let raw = UnsafeRawPointer(form)
    switch Int32(unsafe raw.loadUnaligned(as: sa_family_t.self)) {
    case AF_INET:
      let address = unsafe raw.loadUnaligned(as: sockaddr_in.self)
      return .v4(UInt32(bigEndian: address.sin_addr.s_addr))
    case AF_INET6:
      var address = unsafe raw.loadUnaligned(as: sockaddr_in6.self)
      return unsafe withUnsafeBytes(of: &address.sin6_addr) { bytes in
        unsafe .v6(
          UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
          UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)),
          scope: address.sin6_scope_id)
      }
    default: return nil
    }
  }
}
