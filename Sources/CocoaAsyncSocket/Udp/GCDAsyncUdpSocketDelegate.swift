public import Foundation

/// What happens to a socket for datagrams, told on the delegate queue. Every method may be left
/// out.
public protocol GCDAsyncUdpSocketDelegate: AnyObject {
  /// The socket is connected to a peer.
  func udpSocket(_ sock: GCDAsyncUdpSocket, didConnectToAddress address: Data)
  /// The socket could not be connected; it goes on as it was.
  func udpSocket(_ sock: GCDAsyncUdpSocket, didNotConnect error: (any Error)?)
  /// The kernel has taken a datagram.
  func udpSocket(_ sock: GCDAsyncUdpSocket, didSendDataWithTag tag: Int)
  /// A datagram was not sent; the socket goes on.
  func udpSocket(
    _ sock: GCDAsyncUdpSocket, didNotSendDataWithTag tag: Int, dueToError error: (any Error)?)
  /// A datagram came that the filter let through.
  func udpSocket(
    _ sock: GCDAsyncUdpSocket, didReceive data: Data, fromAddress address: Data,
    withFilterContext filterContext: Any?)
  /// The socket is closed; nothing more is told until it is used again.
  func udpSocketDidClose(_ sock: GCDAsyncUdpSocket, withError error: (any Error)?)
}

extension GCDAsyncUdpSocketDelegate {
  /// Does nothing.
  public func udpSocket(_ sock: GCDAsyncUdpSocket, didConnectToAddress address: Data) {}
  /// Does nothing.
  public func udpSocket(_ sock: GCDAsyncUdpSocket, didNotConnect error: (any Error)?) {}
  /// Does nothing.
  public func udpSocket(_ sock: GCDAsyncUdpSocket, didSendDataWithTag tag: Int) {}
  /// Does nothing.
  public func udpSocket(
    _ sock: GCDAsyncUdpSocket, didNotSendDataWithTag tag: Int, dueToError error: (any Error)?
  ) {}
  /// Does nothing.
  public func udpSocket(
    _ sock: GCDAsyncUdpSocket, didReceive data: Data, fromAddress address: Data,
    withFilterContext filterContext: Any?
  ) {}
  /// Does nothing.
  public func udpSocketDidClose(_ sock: GCDAsyncUdpSocket, withError error: (any Error)?) {}
}
