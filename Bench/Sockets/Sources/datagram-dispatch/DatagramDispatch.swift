import Dispatch
import Glibc
import PlainSockets

/// An echo of datagrams on DispatchSource: what Swift on Linux offers by itself. Prints its port.
@main struct DatagramDispatch {
  static func main() {
    let (echo, port) = plainSocket(SOCK_DGRAM)
    print(port)
    fflush(nil)
    let reading = DispatchSource.makeReadSource(fileDescriptor: echo, queue: .main)
    var buffer = [UInt8](repeating: 0, count: 65_536)
    reading.setEventHandler { while answer(echo, &buffer) {} }
    reading.resume()
    dispatchMain()
  }

  /// Echoes one datagram; false when there is none.
  private static func answer(_ echo: Int32, _ buffer: inout [UInt8]) -> Bool {
    var peer = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    return withUnsafeMutablePointer(to: &peer) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { peer in
        let count = recvfrom(echo, &buffer, buffer.count, 0, peer, &length)
        return count >= 0 && sendto(echo, buffer, count, 0, peer, length) >= 0
      }
    }
  }
}
