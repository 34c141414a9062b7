internal import Foundation
internal import Kernel

/// Addresses as the original gives and takes them: a sockaddr of the kernel in `Data`.
extension SocketAddress {
  /// Reads a sockaddr; nil for one that is cut off or of a family that is not served.
  init?(sockaddr data: Data) {
    guard let address = SocketAddress(kernelBytes: [UInt8](data)) else { return nil }
    switch address {
    case .ip, .unix(.path), .unix(.unnamed): self = address
    case .unix(.abstract(let name)):
      // In a whole sockaddr_un a name's end is not told.
      let end = name.firstIndex(of: "\0") ?? name.endIndex
      self = .unix(end == name.startIndex ? .unnamed : .abstract(String(name[..<end])))
    }
  }

  /// Reads a sockaddr of IPv4 or IPv6; nil for any other.
  init?(internet data: Data) {
    guard let address = SocketAddress(kernelBytes: [UInt8](data)), address.port != nil else {
      return nil
    }
    self = address
  }

  /// The sockaddr.
  var sockaddr: Data { Data(kernelBytes) }

  /// True for an address of IPv6.
  var isIPv6: Bool {
    switch self {
    case .ip(let address, _): address.isIPv6
    case .unix: false
    }
  }
}
