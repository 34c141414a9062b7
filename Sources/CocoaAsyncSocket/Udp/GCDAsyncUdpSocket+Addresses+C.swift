public import Dispatch
public import Foundation
internal import Kernel

extension GCDAsyncUdpSocket {
  /// The text of an address, nil when it is none of IPv4 or IPv6. A link-local one has its
  /// interface behind a `%`.
  public class func host(fromAddress address: Data) -> String? {
    SocketAddress(internet: address)?.hostText
  }

  /// The port of an address, 0 when it is none of IPv4 or IPv6.
  public class func port(fromAddress address: Data) -> UInt16 {
    SocketAddress(internet: address)?.port ?? 0
  }

  /// AF_INET or AF_INET6; AF_UNSPEC for anything else.
  public class func family(fromAddress address: Data) -> Int32 {
    SocketAddress(internet: address)?.familyNumber ?? 0
  }

  /// True for an address of IPv4.
  public class func isIPv4Address(_ address: Data) -> Bool {
    SocketAddress(internet: address).map { !$0.isIPv6 } ?? false
  }

  /// True for an address of IPv6.
  public class func isIPv6Address(_ address: Data) -> Bool {
    SocketAddress(internet: address)?.isIPv6 ?? false
  }

  /// Takes an address apart; false when it is none of IPv4 or IPv6.
  @discardableResult
  public class func getHost(
    _ hostPtr: AutoreleasingUnsafeMutablePointer<NSString?>?,
    port portPtr: UnsafeMutablePointer<UInt16>?, fromAddress address: Data
  ) -> Bool {
    unsafe getHost(hostPtr, port: portPtr, family: nil, fromAddress: address)
  }

  /// Takes an address apart; false when it is none of IPv4 or IPv6.
  @discardableResult
  public class func getHost(
    _ hostPtr: AutoreleasingUnsafeMutablePointer<NSString?>?,
    port portPtr: UnsafeMutablePointer<UInt16>?, family afPtr: UnsafeMutablePointer<Int32>?,
    fromAddress address: Data
  ) -> Bool {
    guard let known = SocketAddress(internet: address) else { return false }
    unsafe hostPtr?.pointee = known.hostText.map { NSString(string: $0) }
    unsafe portPtr?.pointee = known.port ?? 0
    unsafe afPtr?.pointee = known.familyNumber
    return true
  }

  /// Tells the delegate and its queue.
  public func getDelegate(
    _ delegatePtr: AutoreleasingUnsafeMutablePointer<(any GCDAsyncUdpSocketDelegate)?>?,
    delegateQueue delegateQueuePtr: AutoreleasingUnsafeMutablePointer<DispatchQueue?>?
  ) {
    unsafe delegatePtr?.pointee = delegate()
    unsafe delegateQueuePtr?.pointee = delegateQueue()
  }
}
