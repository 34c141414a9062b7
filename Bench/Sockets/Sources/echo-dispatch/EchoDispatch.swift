import Dispatch
import Glibc
import PlainSockets

/// An echo server on DispatchSource: what Swift on Linux offers by itself. Prints its port.
@main struct EchoDispatch {
  /// One for all connections: they share a queue.
  private static var buffer = [UInt8](repeating: 0, count: 65_536)

  static func main() {
    let (listener, port) = plainSocket(SOCK_STREAM)
    print(port)
    fflush(nil)
    let queue = DispatchQueue(label: "echo")
    let accepting = DispatchSource.makeReadSource(fileDescriptor: listener, queue: queue)
    accepting.setEventHandler {
      let connection = plainAccept(listener)
      if connection >= 0 { serve(connection, on: queue) }
    }
    accepting.resume()
    dispatchMain()
  }

  private static func serve(_ connection: Int32, on queue: DispatchQueue) {
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
