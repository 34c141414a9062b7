internal import Foundation
internal import Glibc
internal import Kernel

/// Addresses as the original gives and takes them: a sockaddr of the kernel in `Data`.
extension SocketAddress {
  /// Reads a sockaddr; nil for one that is cut off or of a family that is not served.
  init?(sockaddr data: Data) {
    let bytes = [UInt8](data)
    guard bytes.count >= 2 else { return nil }
    let family = Int32(UInt16(bytes[0]) | UInt16(bytes[1]) << 8)
    switch family {
    case AF_INET:
      guard bytes.count >= MemoryLayout<sockaddr_in>.size else { return nil }
      self = .ip(.v4(SocketAddress.number4(bytes, 4)), port: SocketAddress.port(bytes))
    case AF_INET6:
      guard bytes.count >= MemoryLayout<sockaddr_in6>.size else { return nil }
      let upper = UInt64(SocketAddress.number4(bytes, 8)) << 32
      let lower = UInt64(SocketAddress.number4(bytes, 16)) << 32
      self = .ip(
        .v6(
          upper | UInt64(SocketAddress.number4(bytes, 12)),
          lower | UInt64(SocketAddress.number4(bytes, 20)),
          scope: SocketAddress.number4(bytes, 24).byteSwapped),
        port: SocketAddress.port(bytes))
    case AF_UNIX: self = .unix(UnixName(sunPath: bytes.dropFirst(2)))
    default: return nil
    }
  }

  private static func port(_ bytes: [UInt8]) -> UInt16 { UInt16(bytes[2]) << 8 | UInt16(bytes[3]) }

  private static func number4(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
    bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// The sockaddr.
  var sockaddr: Data {
    switch self {
    case .ip(.v4(let bits), let port):
      var form = sockaddr_in()
      form.sin_family = sa_family_t(AF_INET)
      form.sin_port = port.bigEndian
      form.sin_addr.s_addr = bits.bigEndian
      return unsafe withUnsafeBytes(of: &form) { unsafe Data($0) }
    case .ip(.v6(let upper, let lower, let scope), let port):
      var form = sockaddr_in6()
      form.sin6_family = sa_family_t(AF_INET6)
      form.sin6_port = port.bigEndian
      form.sin6_scope_id = scope
      var halves = (upper.bigEndian, lower.bigEndian)
      unsafe withUnsafeBytes(of: &halves) { source in
        unsafe withUnsafeMutableBytes(of: &form.sin6_addr) { unsafe $0.copyMemory(from: source) }
      }
      return unsafe withUnsafeBytes(of: &form) { unsafe Data($0) }
    case .unix(let name):
      var form = sockaddr_un()
      form.sun_family = sa_family_t(AF_UNIX)
      let bytes = name.sunPath
      unsafe withUnsafeMutableBytes(of: &form.sun_path) { path in
        unsafe path.copyBytes(from: bytes.prefix(path.count))
      }
      return unsafe withUnsafeBytes(of: &form) { unsafe Data($0) }
    }
  }
}

extension UnixName {
  fileprivate init(sunPath: ArraySlice<UInt8>) {
    guard let first = sunPath.first else {
      self = .unnamed
      return
    }
    if first != 0 {
      self = .path(String(decoding: sunPath.prefix { $0 != 0 }, as: UTF8.self))
    } else {
      // In `Data` the whole sun_path comes, and a name's end is not told.
      let name = sunPath.dropFirst().prefix { $0 != 0 }
      self = name.isEmpty ? .unnamed : .abstract(String(decoding: name, as: UTF8.self))
    }
  }

  fileprivate var sunPath: [UInt8] {
    switch self {
    case .path(let path): Array(path.utf8)
    case .abstract(let name): [0] + Array(name.utf8)
    case .unnamed: []
    }
  }
}
