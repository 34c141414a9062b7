import CocoaAsyncSocket
import Glibc

/// An echo of datagrams in the shape of code for iOS. Prints its port.
final class DatagramEcho: NSObject, GCDAsyncUdpSocketDelegate {
  func udpSocket(
    _ sock: GCDAsyncUdpSocket, didReceive data: Data, fromAddress address: Data,
    withFilterContext filterContext: Any?
  ) {
    sock.send(data, toAddress: address, withTimeout: -1, tag: 0)
  }
}

@main struct DatagramDelegate {
  static func main() throws {
    let echo = DatagramEcho()
    let queue = DispatchQueue(label: "echo")
    let socket = GCDAsyncUdpSocket(delegate: echo, delegateQueue: queue)
    try socket.bind(toPort: 0, interface: "127.0.0.1")
    try socket.beginReceiving()
    print(socket.localPort())
    fflush(nil)
    withExtendedLifetime((echo, socket)) { dispatchMain() }
  }
}
