// Written as people write for iOS, which the house does not.
// swift-format-ignore-file

import CocoaAsyncSocket
import Foundation

/// Looks for devices as apps do, by a datagram to each place where one may be; written in Swift 5.
open class Beacon: NSObject {
  private lazy var socket = GCDAsyncUdpSocket(delegate: self, delegateQueue: .global())
  private let found: (String, UInt16, String) -> Void
  public private(set) var error: NSError?

  public init(found: @escaping (String, UInt16, String) -> Void) {
    self.found = found
  }

  public func begin() {
    do {
      socket.setIPv4Enabled(true)
      socket.setIPv6Enabled(false)
      try socket.enableReusePort(true)
      try socket.enableBroadcast(true)
      try socket.bind(toPort: 0)
      try socket.beginReceiving()
    } catch let failure as NSError {
      error = failure
    }
  }

  public func search(at host: String, port: UInt16) {
    let question = "M-SEARCH * HTTP/1.1\r\n\r\n".data(using: .utf8)!
    socket.send(question, toHost: host, port: port, withTimeout: 1, tag: 0)
  }

  public func end() {
    socket.closeAfterSending()
  }
}

extension Beacon: GCDAsyncUdpSocketDelegate {
  public func udpSocket(
    _ sock: GCDAsyncUdpSocket, didReceive data: Data, fromAddress address: Data,
    withFilterContext filterContext: Any?
  ) {
    var host: NSString?
    var port: UInt16 = 0
    GCDAsyncUdpSocket.getHost(&host, port: &port, fromAddress: address)
    found(host! as String, port, String(data: data, encoding: .utf8) ?? "")
  }

  public func udpSocket(
    _ sock: GCDAsyncUdpSocket, didNotSendDataWithTag tag: Int, dueToError error: Error?
  ) {
    self.error = error as NSError?
  }
}
