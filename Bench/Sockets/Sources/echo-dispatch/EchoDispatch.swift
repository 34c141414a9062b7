import Dispatch
import Glibc

/// An echo server on DispatchSource: what Swift on Linux offers by itself. Prints its port.
@main struct EchoDispatch {
  /// One for all connections: they share a queue.
  private static var buffer = [UInt8](repeating: 0, count: 65_536)

  static func main() {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, length)
        listen(listener, 4096)
        getsockname(listener, address, &length)
      }
    }
    print(UInt16(bigEndian: address.sin_port))
    fflush(nil)
    let queue = DispatchQueue(label: "echo")
    let accepting = DispatchSource.makeReadSource(fileDescriptor: listener, queue: queue)
    accepting.setEventHandler {
      let connection = accept(listener, nil, nil)
      if connection >= 0 { serve(connection, on: queue) }
    }
    accepting.resume()
    dispatchMain()
  }

  private static func serve(_ connection: Int32, on queue: DispatchQueue) {
    var one: Int32 = 1
    setsockopt(connection, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
    let reading = DispatchSource.makeReadSource(fileDescriptor: connection, queue: queue)
    reading.setEventHandler {
      let count = recv(connection, &buffer, buffer.count, 0)
      guard count > 0 else { return reading.cancel() }
      var sent = 0
      while sent < count {
        let taken = buffer[sent..<count].withUnsafeBytes {
          send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard taken > 0 else { return reading.cancel() }
        sent += taken
      }
    }
    reading.setCancelHandler { close(connection) }
    reading.resume()
  }
}
