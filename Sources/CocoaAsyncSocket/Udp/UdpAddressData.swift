internal import Foundation
internal import Kernel

extension SocketAddress {
  /// The address as `sockaddr` bytes, as the original hands it out.
  var data: Data { Data(kernelBytes) }

  /// Reads `sockaddr` bytes; nil when they are no address of IPv4 or IPv6.
  init?(data: Data) {
    guard let address = SocketAddress(kernelBytes: [UInt8](data)) else { return nil }
    switch address {
    case .ip: self = address
    case .unix: return nil
    }
  }

  /// The address without its port, with the scope of a link-local one.
  var host: String {
    switch self {
    case .ip(let address, _): address.description
    case .unix: description
    }
  }

  var isIPv6: Bool {
    switch self {
    case .ip(let address, _): address.isIPv6
    case .unix: false
    }
  }
}
