import Glibc
import Sockets

/// An echo of datagrams on the native face, in batches. Prints its port.
@main struct DatagramNative {
  static func main() async throws {
    let socket = try await DatagramSocket.bound(to: .ip(.loopback4, port: 0))
    print(try await socket.localAddress.port ?? 0)
    fflush(nil)
    try await echo(on: socket)
  }

  /// Runs where the socket's own methods do: no hop between two of them.
  private static func echo(on socket: isolated DatagramSocket) async throws {
    var batch = try DatagramBatch(capacity: 64)
    while true {
      let count = try await socket.receive(into: &batch)
      for index in 0..<count { batch.readdress(index, to: batch.header(index).source) }
      try await socket.send(&batch)
    }
  }
}
