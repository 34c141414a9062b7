import CocoaAsyncSocket
import Glibc

/// Sends every datagram back to where it came from. Prints its port.
final class UdpEcho: NSObject, GCDAsyncUdpSocketDelegate {
  func udpSocket(
    _ sock: GCDAsyncUdpSocket, didReceive data: Data, fromAddress address: Data,
    withFilterContext filterContext: Any?
  ) {
    sock.send(data, toAddress: address, withTimeout: -1, tag: 0)
  }

  func udpSocketDidClose(_ sock: GCDAsyncUdpSocket, withError error: Error?) {
    print("closed: \(String(describing: error))")
  }
}

@main enum Main {
  static func main() throws {
    let echo = UdpEcho()
    let socket = GCDAsyncUdpSocket(delegate: echo, delegateQueue: .main)
    try socket.bind(toPort: 0, interface: "localhost")
    try socket.beginReceiving()
    print(socket.localPort())
    fflush(nil)
    withExtendedLifetime((echo, socket)) { dispatchMain() }
  }
}
