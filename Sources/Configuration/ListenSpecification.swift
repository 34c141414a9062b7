public import Kernel

/// Where a tunnel listens, as LISTEN says it: `8080`, `any:8080`, `unix:/run/x.sock`, `fd:web`.
public enum ListenSpecification: Hashable, Sendable {
  /// A TCP port at an address; port 0 takes a free one.
  case ip(BindAddress, port: UInt16)
  /// A UDP port at an address; port 0 takes a free one.
  case udp(BindAddress, port: UInt16)
  /// A TCP port at an address for FTP, whose data connections are relayed too.
  case ftp(BindAddress, port: UInt16)
  /// A unix socket, by its file or its abstract name.
  case unix(UnixName)
  /// A socket that came from the service manager, by the name it was given there.
  case inherited(String)
}

/// What a listener carries, by the words of its scheme and suffix.
public enum Transport: String, Hashable, Sendable, CaseIterable {
  /// Streams of bytes.
  case tcp
  /// Datagrams.
  case udp
  /// FTP's control connections and, with them, its data connections.
  case ftp
}

/// The addresses of a listening port.
public enum BindAddress: Hashable, Sendable {
  /// Exactly this address; `0.0.0.0` is every IPv4 address and `::` every IPv6 address.
  case address(IPAddress)
  /// Every address of both families.
  case any
  /// The loopback address of both families.
  case localhost

  /// The addresses to bind, one socket each.
  public var addresses: [IPAddress] {
    switch self {
    case .address(let address): [address]
    case .any: [.any4, .any6]
    case .localhost: [.loopback4, .loopback6]
    }
  }

  func description(withPort port: UInt16) -> String {
    switch self {
    case .address(let address): SocketAddress.ip(address, port: port).description
    case .any: "any:\(port)"
    case .localhost: "localhost:\(port)"
    }
  }

  /// True when only this machine can connect.
  public var isLoopback: Bool {
    addresses.allSatisfy(\.isLoopback)
  }
}

extension ListenSpecification {
  /// What is carried there.
  public var transport: Transport {
    switch self {
    case .udp: .udp
    case .ftp: .ftp
    case .ip, .unix, .inherited: .tcp
    }
  }

  /// True for UDP.
  public var isDatagram: Bool { transport == .udp }

  /// The address and port of an IP listener, nil for the others.
  public var bind: (address: BindAddress, port: UInt16)? {
    switch self {
    case .ip(let address, let port), .udp(let address, let port), .ftp(let address, let port):
      (address, port)
    case .unix, .inherited: nil
    }
  }
}

extension ListenSpecification: CustomStringConvertible {
  /// Text that reads back as the same value.
  public var description: String {
    switch self {
    case .ip(let address, let port): address.description(withPort: port)
    case .udp(let address, let port): "udp://" + address.description(withPort: port)
    case .ftp(let address, let port): "ftp://" + address.description(withPort: port)
    case .unix(let name): name.specification
    case .inherited(let name): "fd:\(name)"
    }
  }
}
