extension Descriptor {
  /// SO_BINDTOIFINDEX: packets leave and come by one interface only, whatever the routes say.
  public borrowing func stay(onInterface index: UInt32) throws(Errno) {
    guard let index = Int32(exactly: index) else { throw .invalidArgument }
    try set(.boundInterface, index)
  }
}

extension SocketOption {
  /// SO_BINDTOIFINDEX, the index of the interface that the socket is bound to; 0 for none.
  public static let boundInterface = SocketOption(level: 1, name: 62)
}

extension IPAddress {
  /// True for fe80::/10 (RFC 4291 §2.5.6): an address that means something on one link only.
  public var isLinkLocal6: Bool {
    switch self {
    case .v4: false
    case .v6(let upper, _, _): upper >> 54 == 0x3fa
    }
  }

  /// The same address with the interface as its scope where it needs one and names none.
  public func scoped(_ interface: UInt32?) -> IPAddress {
    switch self {
    case .v6(let upper, let lower, 0) where isLinkLocal6:
      .v6(upper, lower, scope: interface ?? 0)
    case .v4, .v6: self
    }
  }
}
