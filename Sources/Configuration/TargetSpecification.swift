public import Kernel

/// One place that a tunnel carries to, as TARGET says it: `web.example:80`, `10.0.0.1:80`,
/// `unix:/run/x.sock`.
public enum TargetSpecification: Hashable, Sendable {
  /// A name to look up, and a port.
  case host(HostName, port: UInt16)
  /// An address and a port.
  case address(IPAddress, port: UInt16)
  /// A unix socket.
  case unix(UnixName)
  /// A name or an address that is written for UDP alone.
  indirect case udp(TargetSpecification)
}

extension TargetSpecification: CustomStringConvertible {
  /// Text that reads back as the same value.
  public var description: String {
    switch self {
    case .host(let name, let port): "\(name):\(port)"
    case .address(let address, let port): SocketAddress.ip(address, port: port).description
    case .unix(let name): name.specification
    case .udp(let target): "udp://\(target)"
    }
  }
}

/// What `-L` takes: `LISTEN=TARGET`, split at the first `=` outside brackets.
public struct ForwardSpecification: Hashable, Sendable {
  /// Where to listen.
  public var listen: ListenSpecification
  /// Where to carry to, in the order of trying.
  public var targets: [TargetSpecification]

  /// Reads `LISTEN=TARGET`.
  public init(_ text: String) throws(ConfigurationError) {
    var depth = 0
    let split = text.firstIndex { character in
      if character == "[" { depth += 1 }
      if character == "]" { depth -= 1 }
      return character == "=" && depth <= 0
    }
    guard let split else {
      throw .text(.form(.equalsMissing), at: TextPlace(.forward, text, at: text.endIndex))
    }
    listen = try ListenSpecification(String(text[..<split]))
    targets = try TargetSpecification.list(String(text[text.index(after: split)...]))
  }
}
