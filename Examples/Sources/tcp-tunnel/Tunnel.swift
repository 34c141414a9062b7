import CocoaAsyncSocket
import Glibc

/// A TCP tunnel with GCDAsyncSocket: listen, accept, connect, read, write, disconnect.
///
///     tcp-tunnel HOST PORT      prints the port that it listens at
final class Tunnel: NSObject, GCDAsyncSocketDelegate {
  private let host: String
  private let port: UInt16
  /// Who is at the other end of each socket.
  private var peers: [GCDAsyncSocket: GCDAsyncSocket] = [:]

  init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  func socket(_ sock: GCDAsyncSocket, didAcceptNewSocket client: GCDAsyncSocket) {
    let target = GCDAsyncSocket(delegate: self, delegateQueue: sock.delegateQueue)
    do {
      try target.connect(toHost: host, onPort: port, withTimeout: 10)
    } catch {
      print("cannot connect to \(host): \(error)")
      return client.disconnect()
    }
    peers[client] = target
    peers[target] = client
    // What the client sends is queued until the target is connected.
    client.readData(withTimeout: -1, tag: 0)
  }

  func socket(_ target: GCDAsyncSocket, didConnectToHost host: String, port: UInt16) {
    target.readData(withTimeout: -1, tag: 0)
  }

  func socket(_ sock: GCDAsyncSocket, didRead data: Data, withTag tag: Int) {
    peers[sock]?.write(data, withTimeout: -1, tag: 0)
    // The next piece is read when this one is written: a slow reader stops the sender.
  }

  func socket(_ sock: GCDAsyncSocket, didWriteDataWithTag tag: Int) {
    peers[sock]?.readData(withTimeout: -1, tag: 0)
  }

  func socketDidDisconnect(_ sock: GCDAsyncSocket, withError error: Error?) {
    guard let other = peers.removeValue(forKey: sock) else { return }
    peers[other] = nil
    // This sample closes both sides at once; `adit forward` passes an end of stream on alone.
    other.disconnectAfterWriting()
  }
}

@main enum Main {
  static func main() throws {
    let words = CommandLine.arguments
    guard words.count == 3, let port = UInt16(words[2]) else {
      print("usage: tcp-tunnel HOST PORT")
      exit(2)
    }
    let tunnel = Tunnel(host: words[1], port: port)
    let listener = GCDAsyncSocket(delegate: tunnel, delegateQueue: .main)
    try listener.accept(onInterface: "localhost", port: 0)
    print(listener.localPort)
    fflush(nil)
    withExtendedLifetime((tunnel, listener)) { dispatchMain() }
  }
}
