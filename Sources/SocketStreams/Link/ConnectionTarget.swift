internal import Foundation

/// What a pair of streams is to be connected with.
enum ConnectionTarget: Hashable, Sendable {
  /// A host by its name or an address in text.
  case host(String, port: Int)
  /// A connected socket of the caller's.
  case native(Int32)
  /// The pair's other stream.
  case bound
}

/// What is known of a connection.
struct ConnectionFacts: Sendable {
  var nativeHandle: Int32?
  var remoteHost: String?
  var remotePort: Int?
  var peer: PeerFacts?
}
