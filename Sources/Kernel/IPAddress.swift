internal import CKernel
internal import Glibc

/// An IPv4 or IPv6 address, the latter with the scope (interface index) of a link-local one.
public enum IPAddress: Hashable, Sendable {
  /// 32 bits, most significant first: 127.0.0.1 is 0x7f00_0001.
  case v4(UInt32)
  /// The upper and lower 64 bits and the interface index, 0 when none is meant.
  case v6(UInt64, UInt64, scope: UInt32)

  /// 127.0.0.1.
  public static let loopback4 = IPAddress.v4(0x7f00_0001)
  /// ::1.
  public static let loopback6 = IPAddress.v6(0, 1, scope: 0)
  /// 0.0.0.0.
  public static let any4 = IPAddress.v4(0)
  /// ::.
  public static let any6 = IPAddress.v6(0, 0, scope: 0)

  /// True for IPv6.
  public var isIPv6: Bool {
    switch self {
    case .v4: false
    case .v6: true
    }
  }

  /// True for 0.0.0.0 and ::.
  public var isUnspecified: Bool {
    switch self {
    case .v4(let bits): bits == 0
    case .v6(let upper, let lower, _): upper == 0 && lower == 0
    }
  }

  /// True for 127.0.0.0/8 and ::1.
  public var isLoopback: Bool {
    switch self {
    case .v4(let bits): bits >> 24 == 127
    case .v6(let upper, let lower, _): upper == 0 && lower == 1
    }
  }

  /// An IPv4 address that came mapped into IPv6 (`::ffff:192.0.2.1`, RFC 4291 §2.5.5.2) as IPv4.
  public var unmapped: IPAddress {
    switch self {
    case .v4: return self
    case .v6(let upper, let lower, _):
      guard upper == 0, lower >> 32 == 0xffff else { return self }
      return .v4(UInt32(truncatingIfNeeded: lower))
    }
  }

  /// Reads a literal: `192.0.2.1`, `2001:db8::1`, `fe80::1%eth0`, `fe80::1%2`. No brackets and no
  /// name.
  ///
  /// Nil when the text is not exactly one address, or names an interface that is not there.
  public init?(_ text: some StringProtocol) {
    let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
    let literal = String(parts[0])
    guard !literal.utf8.contains(0) else { return nil }
    if parts.count == 1, let bits = IPAddress.bits4(literal) {
      self = .v4(bits)
      return
    }
    guard let (upper, lower) = IPAddress.bits6(literal) else { return nil }
    var scope: UInt32 = 0
    if parts.count == 2 {
      guard let index = Interface.index(named: parts[1]) else { return nil }
      scope = index
    }
    self = .v6(upper, lower, scope: scope)
  }

  private static func bits4(_ literal: String) -> UInt32? {
    var address = in_addr()
    guard unsafe inet_pton(AF_INET, literal, &address) == 1 else { return nil }
    return UInt32(bigEndian: address.s_addr)
  }

  private static func bits6(_ literal: String) -> (UInt64, UInt64)? {
    var address = in6_addr()
    guard unsafe inet_pton(AF_INET6, literal, &address) == 1 else { return nil }
    return IPAddress.halves(address)
  }

  static func halves(_ address: in6_addr) -> (UInt64, UInt64) {
    var address = address
    return unsafe withUnsafeBytes(of: &address) { bytes in
      unsafe (
        UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)),
        UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
      )
    }
  }

  static func address6(_ upper: UInt64, _ lower: UInt64) -> in6_addr {
    var address = in6_addr()
    unsafe withUnsafeMutableBytes(of: &address) { bytes in
      unsafe bytes.storeBytes(of: upper.bigEndian, toByteOffset: 0, as: UInt64.self)
      unsafe bytes.storeBytes(of: lower.bigEndian, toByteOffset: 8, as: UInt64.self)
    }
    return address
  }
}

extension IPAddress: CustomStringConvertible {
  /// The usual text: `192.0.2.1`, `2001:db8::1`, `fe80::1%eth0` (RFC 5952, RFC 4007).
  public var description: String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    switch self {
    case .v4(let bits):
      var address = in_addr(s_addr: bits.bigEndian)
      unsafe inet_ntop(AF_INET, &address, &text, socklen_t(text.count))
      return IPAddress.string(text)
    case .v6(let upper, let lower, let scope):
      var address = IPAddress.address6(upper, lower)
      unsafe inet_ntop(AF_INET6, &address, &text, socklen_t(text.count))
      let literal = IPAddress.string(text)
      return scope == 0 ? literal : "\(literal)%\(Interface.name(of: scope))"
    }
  }

  private static func string(_ text: [CChar]) -> String {
    String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

/// Network interfaces by name and index.
public enum Interface {
  /// The index of an interface that is there, from its name or its number's text.
  public static func index(named name: some StringProtocol) -> UInt32? {
    if let first = name.utf8.first, first != UInt8(ascii: "+"), let number = UInt32(name) {
      return number == 0 ? nil : number
    }
    guard !name.isEmpty, !name.utf8.contains(0) else { return nil }
    let index = unsafe if_nametoindex(String(name))
    return index == 0 ? nil : index
  }

  /// The name of an interface, or its number where it has gone.
  public static func name(of index: UInt32) -> String {
    var name = [CChar](repeating: 0, count: Int(IF_NAMESIZE))
    guard unsafe if_indextoname(index, &name) != nil else { return "\(index)" }
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
