import Kernel
import TestSupport

@testable import Sockets

/// A connection and its peer, a plain blocking socket that the test plays.
struct PlayedConnection {
  let connection: Connection
  let peer: PlayedSocket

  /// Connects over loopback.
  static func make(options: ConnectionOptions = ConnectionOptions()) async throws
    -> PlayedConnection
  {
    let listening = try PlayedSocket.listening()
    let connection = try await Connection.connect(to: try listening.address, options: options)
    return PlayedConnection(connection: connection, peer: try await listening.accept())
  }
}

/// Bytes of a pattern that shows where a piece is missing or doubled.
func patterned(_ count: Int) -> [UInt8] {
  (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3 ^ $0 >> 11) }
}
