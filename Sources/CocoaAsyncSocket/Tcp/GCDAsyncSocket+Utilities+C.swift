public import Foundation
internal import Glibc
internal import Kernel

extension GCDAsyncSocket {
  // MARK: Addresses

  /// The addresses of a host, each a sockaddr with the port in `Data`. It waits for the answer of
  /// the system's name service.
  public class func lookupHost(_ host: String, port: UInt16) throws -> NSMutableArray {
    let found = NSMutableArray()
    for address in try HostLookup.addresses(of: host) {
      found.add(SocketAddress.ip(address, port: port).sockaddr as NSData)
    }
    return found
  }

  /// The host of a sockaddr in text.
  public class func host(fromAddress address: Data) -> String? {
    SocketAddress(sockaddr: address)?.hostText
  }

  /// The port of a sockaddr, 0 where there is none.
  public class func port(fromAddress address: Data) -> UInt16 {
    SocketAddress(sockaddr: address)?.port ?? 0
  }

  /// Whether a sockaddr is of IPv4.
  public class func isIPv4Address(_ address: Data) -> Bool {
    SocketAddress(sockaddr: address)?.ip.map { !$0.isIPv6 } ?? false
  }

  /// Whether a sockaddr is of IPv6.
  public class func isIPv6Address(_ address: Data) -> Bool {
    SocketAddress(sockaddr: address)?.ip.map { $0.isIPv6 } ?? false
  }

  /// Gives the host and the port of a sockaddr; false when it is none.
  @discardableResult
  public class func getHost(
    _ hostPtr: UnsafeMutablePointer<NSString?>?, port portPtr: UnsafeMutablePointer<UInt16>?,
    fromAddress address: Data
  ) -> Bool {
    unsafe getHost(hostPtr, port: portPtr, family: nil, fromAddress: address)
  }

  /// Gives the host, the port and the family of a sockaddr; false when it is none.
  @discardableResult
  public class func getHost(
    _ hostPtr: UnsafeMutablePointer<NSString?>?, port portPtr: UnsafeMutablePointer<UInt16>?,
    family familyPtr: UnsafeMutablePointer<sa_family_t>?, fromAddress address: Data
  ) -> Bool {
    guard case .ip(let ip, let port)? = SocketAddress(sockaddr: address) else { return false }
    // The caller's places for the answer.
    unsafe hostPtr?.pointee = NSString(string: "\(ip)")
    unsafe portPtr?.pointee = port
    unsafe familyPtr?.pointee = sa_family_t(ip.isIPv6 ? AF_INET6 : AF_INET)
    return true
  }

  // MARK: Separators

  /// Carriage return and line feed.
  public class func crlfData() -> Data { Data([13, 10]) }
  /// Carriage return.
  public class func crData() -> Data { Data([13]) }
  /// Line feed.
  public class func lfData() -> Data { Data([10]) }
  /// A byte of value zero.
  public class func zeroData() -> Data { Data([0]) }
}

extension GCDAsyncSocket {
  /// The delegate and its queue at once.
  public func getDelegate(
    _ delegatePtr: UnsafeMutablePointer<(any GCDAsyncSocketDelegate)?>?,
    delegateQueue delegateQueuePtr: UnsafeMutablePointer<DispatchQueue?>?
  ) {
    let (delegate, callbacks) = state.withLock { ($0.delegate, $0.callbacks) }
    // The caller's places for the answer.
    unsafe delegatePtr?.pointee = delegate
    unsafe delegateQueuePtr?.pointee = callbacks?.queue
  }
}
