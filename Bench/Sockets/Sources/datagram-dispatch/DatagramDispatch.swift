import Dispatch
import Glibc

/// An echo of datagrams on DispatchSource: what Swift on Linux offers by itself. Prints its port.
@main struct DatagramDispatch {
  static func main() {
    let echo = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(echo, address, length)
        getsockname(echo, address, &length)
      }
    }
    print(UInt16(bigEndian: address.sin_port))
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
