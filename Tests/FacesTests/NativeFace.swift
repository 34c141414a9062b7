import Sockets

/// The face with async and await.
struct NativeFace: Face {
  private let connection: Connection

  init(_ port: UInt16) async throws {
    connection = try await Connection.connect(to: "127.0.0.1", port: port)
  }

  func send(_ bytes: [UInt8]) async throws { try await connection.send(bytes) }

  func receive(exactly count: Int) async throws -> [UInt8] {
    try await connection.receive(exactly: count, timeout: .seconds(20))
  }

  func receiveToEnd() async throws -> [UInt8] {
    var all: [UInt8] = []
    while true {
      let bytes = try await connection.receive(atMost: 65_536, timeout: .seconds(20))
      if bytes.isEmpty { return all }
      all += bytes
    }
  }

  func endStream() async throws { try await connection.send([], endOfStream: true) }

  func close() async { await connection.close() }
}
