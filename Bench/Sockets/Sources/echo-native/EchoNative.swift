import Glibc
import Sockets

/// An echo server on the native face: prints its port, then echoes until it is ended.
///
///     echo-native            each handler has a buffer of its own
///     echo-native waiting    handlers receive arrays that live no longer than their bytes
///     echo-native held       echoes one byte of a connection and keeps it, without a task
@main struct EchoNative {
  static func main() async throws {
    let listener = try await Listener(at: .ip(.loopback4, port: 0))
    print(listener.address.port ?? 0)
    fflush(nil)
    switch CommandLine.arguments.dropFirst().first {
    case "waiting": await wait(on: listener)
    case "held": try await hold(from: listener)
    default: await echo(on: listener)
    }
  }

  private static func echo(on listener: Listener) async {
    await listener.run { connection in
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while true {
        let count = try await connection.receive(into: &buffer)
        if count == 0 { return }
        try await connection.send(buffer[..<count])
      }
    }
  }

  private static func wait(on listener: Listener) async {
    await listener.run { connection in
      while true {
        let bytes = try await connection.receive(atMost: 65_536)
        if bytes.isEmpty { return }
        try await connection.send(bytes)
      }
    }
  }

  private static func hold(from listener: Listener) async throws {
    var held: [Connection] = []
    for try await connection in listener.connections {
      let byte = try await connection.receive(exactly: 1)
      try await connection.send(byte)
      held.append(connection)
    }
  }
}
