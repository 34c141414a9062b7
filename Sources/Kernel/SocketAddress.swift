internal import CKernel
internal import Glibc

/// Where a socket is: an IP address with a port, or the name of a unix socket.
public enum SocketAddress: Hashable, Sendable {
  /// An address and a port.
  case ip(IPAddress, port: UInt16)
  /// A unix socket.
  case unix(UnixName)

  /// The port, nil for a unix socket.
  public var port: UInt16? {
    switch self {
    case .ip(_, let port): port
    case .unix: nil
    }
  }

  /// The same address with an IPv4 address that came mapped into IPv6 as IPv4.
  public var unmapped: SocketAddress {
    switch self {
    case .ip(let address, let port): .ip(address.unmapped, port: port)
    case .unix: self
    }
  }
}

/// The name of a unix socket.
public enum UnixName: Hashable, Sendable {
  /// The longest path, in bytes: sun_path holds 108 with the closing zero.
  public static let pathLimit = 107

  /// A file's path, 1 to 107 bytes.
  case path(String)
  /// A name in the abstract namespace, without the leading zero byte; up to 106 bytes.
  case abstract(String)
  /// An end that was never bound.
  case unnamed
}

extension SocketAddress: CustomStringConvertible {
  /// `192.0.2.1:80`, `[2001:db8::1]:80`, `unix:/run/x.sock`, `unix:@name`, `unix:`.
  public var description: String {
    switch self {
    case .ip(let address, let port):
      address.isIPv6 ? "[\(address)]:\(port)" : "\(address):\(port)"
    case .unix(.path(let path)): "unix:\(path)"
    case .unix(.abstract(let name)): "unix:@\(name)"
    case .unix(.unnamed): "unix:"
    }
  }
}

extension SocketAddress {
  /// The address family for socket(2).
  var family: Int32 {
    switch self {
    case .ip(.v4, _): AF_INET
    case .ip(.v6, _): AF_INET6
    case .unix: AF_UNIX
    }
  }

  /// Calls `body` with the address in the kernel's form.
  func withKernelForm<Result>(_ body: (UnsafeRawPointer, socklen_t) -> Result) -> Result {
    switch self {
    case .ip(.v4(let bits), let port):
      var form = sockaddr_in()
      form.sin_family = sa_family_t(AF_INET)
      form.sin_port = port.bigEndian
      form.sin_addr.s_addr = bits.bigEndian
      return unsafe body(&form, socklen_t(MemoryLayout<sockaddr_in>.size))
    case .ip(.v6(let upper, let lower, let scope), let port):
      var form = sockaddr_in6()
      form.sin6_family = sa_family_t(AF_INET6)
      form.sin6_port = port.bigEndian
      form.sin6_addr = IPAddress.address6(upper, lower)
      form.sin6_scope_id = scope
      return unsafe body(&form, socklen_t(MemoryLayout<sockaddr_in6>.size))
    case .unix(let name):
      return unsafe name.withKernelForm(body)
    }
  }

  /// Reads an address of the kernel's form; nil for a family that is not served here.
  init?(kernelForm storage: inout sockaddr_storage, length: socklen_t) {
    let length = Int(length)
    let family = Int32(storage.ss_family)
    let address: SocketAddress? = unsafe withUnsafeBytes(of: &storage) { bytes in
      switch family {
      case AF_INET:
        let form = unsafe bytes.loadUnaligned(as: sockaddr_in.self)
        return .ip(
          .v4(UInt32(bigEndian: form.sin_addr.s_addr)), port: UInt16(bigEndian: form.sin_port))
      case AF_INET6:
        let form = unsafe bytes.loadUnaligned(as: sockaddr_in6.self)
        let (upper, lower) = IPAddress.halves(form.sin6_addr)
        return .ip(
          .v6(upper, lower, scope: form.sin6_scope_id), port: UInt16(bigEndian: form.sin6_port))
      case AF_UNIX:
        return unsafe .unix(UnixName(kernelBytes: bytes[2..<max(2, length)]))
      default: return nil
      }
    }
    guard let address else { return nil }
    self = address
  }
}

extension UnixName {
  func withKernelForm<Result>(_ body: (UnsafeRawPointer, socklen_t) -> Result) -> Result {
    var form = sockaddr_un()
    form.sun_family = sa_family_t(AF_UNIX)
    let (prefix, text): ([UInt8], String) =
      switch self {
      case .path(let path): ([], path)
      case .abstract(let name): ([0], name)
      case .unnamed: ([], "")
      }
    let bytes = prefix + Array(text.utf8)
    let limit = UnixName.pathLimit + prefix.count
    precondition(bytes.count <= limit, "a unix socket's name has at most 107 bytes")
    unsafe withUnsafeMutableBytes(of: &form.sun_path) { path in
      for (index, byte) in bytes.enumerated() { unsafe path[index] = byte }
    }
    // A path is counted with its closing zero, an abstract name exactly: unix(7).
    let terminator = prefix.isEmpty && !bytes.isEmpty ? 1 : 0
    return unsafe body(&form, socklen_t(2 + bytes.count + terminator))
  }

  init(kernelBytes bytes: Slice<UnsafeRawBufferPointer>) {
    guard let first = unsafe bytes.first else {
      self = .unnamed
      return
    }
    if first == 0 {
      self = .abstract(unsafe String(decoding: bytes.dropFirst(), as: UTF8.self))
    } else {
      self = .path(unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self))
    }
  }
}
