import CocoaAsyncSocket
import Glibc

/// An echo server in the shape of code for iOS: prints its port, then echoes until it is ended.
final class Echo: NSObject, GCDAsyncSocketDelegate {
  private var connections: Set<GCDAsyncSocket> = []

  func socket(_ sock: GCDAsyncSocket, didAcceptNewSocket newSocket: GCDAsyncSocket) {
    connections.insert(newSocket)
    newSocket.readData(withTimeout: -1, tag: 0)
  }

  func socket(_ sock: GCDAsyncSocket, didRead data: Data, withTag tag: Int) {
    sock.write(data, withTimeout: -1, tag: 0)
    sock.readData(withTimeout: -1, tag: 0)
  }

  func socketDidDisconnect(_ sock: GCDAsyncSocket, withError err: Error?) {
    connections.remove(sock)
  }
}

@main struct EchoDelegate {
  static func main() throws {
    let echo = Echo()
    let queue = DispatchQueue(label: "echo")
    let listener = GCDAsyncSocket(delegate: echo, delegateQueue: queue)
    try listener.accept(onInterface: "127.0.0.1", port: 0)
    print(listener.localPort)
    fflush(nil)
    withExtendedLifetime((echo, listener)) { dispatchMain() }
  }
}
