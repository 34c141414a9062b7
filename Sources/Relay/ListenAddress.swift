public import Kernel

/// Where a tunnel listens.
public enum ListenAddress: Hashable, Sendable {
  /// One address and port (0 for a free one), or a unix socket.
  case address(SocketAddress)
  /// Every address of both families.
  case everyAddress(port: UInt16)
  /// A listening socket that this process inherited, by descriptor number.
  case inherited(Int32)
}

/// Why a listener could not be opened.
public enum ListenError: Error, Hashable, Sendable {
  /// The kernel refused the address.
  case refused(SocketAddress, Errno)
  /// A live process listens at the unix socket.
  case unixSocketInUse(path: String)
  /// The path names something that is not a socket of this user.
  case notOurs(path: String)
  /// The descriptor is not a listening stream socket.
  case notAListener(descriptor: Int32)
  /// The loop's poller refused it.
  case noResources(Errno)
}

extension ListenError: CustomStringConvertible {
  /// What is wrong, where, and what would be right.
  public var description: String {
    switch self {
    case .refused(let address, .addressInUse):
      "cannot listen on \(address): another program has it; choose another port or stop that"
        + " program"
    case .refused(let address, .addressNotAvailable):
      "cannot listen on \(address): no interface of this machine has that address"
    case .refused(let address, .permissionDenied):
      "cannot listen on \(address): not permitted; ports below 1024 need root or"
        + " CAP_NET_BIND_SERVICE"
    case .refused(let address, let error): "cannot listen on \(address): \(error)"
    case .unixSocketInUse(let path):
      "cannot listen on unix:\(path): another program listens there; choose another path"
    case .notOurs(let path):
      "cannot listen on unix:\(path): the file is not a socket of this user; remove it or choose"
        + " another path"
    case .notAListener(let descriptor):
      "descriptor \(descriptor) is not a listening stream socket; pass one from a socket unit with"
        + " ListenStream="
    case .noResources(let error): "cannot watch a listener: \(error)"
    }
  }
}
