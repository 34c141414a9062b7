import Glibc
import Sockets

/// Sends a line to a server and prints the line that comes back, with async and await.
///
///     async-client HOST PORT TEXT…
@main enum AsyncClient {
  static func main() async {
    let words = CommandLine.arguments
    guard words.count >= 4, let port = UInt16(words[2]) else {
      print("usage: async-client HOST PORT TEXT…")
      exit(2)
    }
    let line = Array((words[3...].joined(separator: " ") + "\n").utf8)
    do {
      let answer = try await Connection.with(words[1], port: port) { connection in
        try await connection.send(line)
        return try await connection.receive(until: [10], limit: 4096, timeout: .seconds(20))
      }
      print(String(decoding: answer, as: UTF8.self), terminator: "")
    } catch {
      print("error: \(error)")
      exit(1)
    }
  }
}
