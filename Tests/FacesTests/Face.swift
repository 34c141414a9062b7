import Testing

/// A connection as each face of the library offers it, in the words that all have in common.
protocol Face: Sendable {
  /// Sends all bytes; returns when they are taken.
  func send(_ bytes: [UInt8]) async throws
  /// Receives exactly so many bytes.
  func receive(exactly count: Int) async throws -> [UInt8]
  /// Receives to the end of the peer's stream; fails when the connection breaks.
  func receiveToEnd() async throws -> [UInt8]
  /// Ends the stream to the peer and goes on reading.
  func endStream() async throws
  /// Ends the connection so that everything that was sent arrives.
  func close() async
}

/// The faces.
enum FaceKind: String, CaseIterable, CustomTestStringConvertible {
  case native
  case delegate
  case streams

  var testDescription: String { rawValue }

  /// Those that can end one direction alone; `GCDAsyncSocket` has no call for that.
  static let halfClosing: [FaceKind] = [.native, .streams]

  /// Connects to a port of 127.0.0.1; a refusal may be told here or by the first receive.
  func connect(to port: UInt16) async throws -> any Face {
    switch self {
    case .native: try await NativeFace(port)
    case .delegate: try DelegateFace(port)
    case .streams: StreamFace(port)
    }
  }
}
