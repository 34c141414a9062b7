import Glibc
import Sockets

/// An echo server on the native face: prints its port, then echoes until it is ended.
@main struct EchoNative {
  static func main() async throws {
    let listener = try await Listener(at: .ip(.loopback4, port: 0))
    print(listener.address.port ?? 0)
    fflush(nil)
    await listener.run { connection in
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while true {
        let count = try await connection.receive(into: &buffer)
        if count == 0 { return }
        try await connection.send(buffer[..<count])
      }
    }
  }
}
