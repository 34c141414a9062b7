public import Kernel
public import Names
public import TLS

/// Why an operation on a socket failed.
public enum SocketError: Error, Hashable, Sendable {
  /// What was being done when a limit of time was over.
  public enum Operation: Hashable, Sendable {
    case connecting
    case handshaking
    case receiving
    case sending
    case closing
  }

  /// The system refused: the call's error, and what was asked of it.
  case system(Errno, doing: String)
  /// The host's name gave no address.
  case name(String, ResolutionFailure)
  /// No address of the host could be connected to.
  case unreachable(String, RaceFailure)
  /// A limit of time was over.
  case timedOut(Operation)
  /// The peer ended its stream before as much had come as was asked for; so much had come.
  case endOfStream(received: Int)
  /// The peer gave up the connection, or it broke.
  case reset(Errno)
  /// The delimiter did not come within so many bytes.
  case delimiterNotFound(limit: Int)
  /// The socket was closed on this side.
  case closed
  /// The task that waited was cancelled; nothing was lost.
  case cancelled
  /// An argument cannot be used: what, and what would be right.
  case invalid(String, expected: String)
  /// TLS failed.
  case tls(TLSError)
}

extension SocketError: CustomStringConvertible {
  /// A sentence without its full stop.
  public var description: String {
    switch self {
    case .system(let error, let doing): "\(doing): \(error)"
    case .name(let host, let failure): "\(host): \(failure)"
    case .unreachable(let host, let failure): "\(host): \(failure)"
    case .timedOut(.connecting): "the connection was not made in time"
    case .timedOut(.handshaking): "the TLS handshake was not over in time"
    case .timedOut(.receiving): "nothing more came in time"
    case .timedOut(.sending): "the peer did not take everything in time"
    case .timedOut(.closing): "the peer did not take everything before the end"
    case .endOfStream(let count): "the peer ended its stream after \(count) bytes"
    case .reset(let error): "the connection broke: \(error)"
    case .delimiterNotFound(let limit): "the delimiter did not come within \(limit) bytes"
    case .closed: "the socket is closed"
    case .cancelled: "the waiting was cancelled"
    case .invalid(let what, let expected): "\(what); expected \(expected)"
    case .tls(let error): error.description
    }
  }
}
