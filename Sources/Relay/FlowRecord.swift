public import Kernel

/// Why a flow ended.
public enum FlowEnd: Hashable, Sendable {
  /// Both sides ended their streams and everything was delivered.
  case completed
  /// The client reset the connection; the target saw a reset too.
  case clientReset
  /// The target reset the connection; the client saw a reset too.
  case targetReset
  /// No target could be reached; the client saw a reset.
  case targetUnreachable(ConnectFailure)
  /// The client left before a target was reached.
  case clientLeft
  /// One direction was over and nothing moved in the other for `half-closed-idle`.
  case halfClosedIdle
  /// Nothing moved for `idle`.
  case idle
  /// `half-close = false`, and the other side sent more, or did not end within `reset-drain`.
  case cutOff
  /// The tunnel was closed or the process stopped before the flow was over.
  case stopped
  /// A descriptor or memory limit was met while the flow was set up.
  case noResources(Errno)
  /// Of UDP: at a limit, and used longest ago, when another session began.
  case evicted
}

/// Why no target could be reached.
public enum ConnectFailure: Hashable, Sendable {
  /// The last address tried answered with this error.
  case system(Errno)
  /// Time was over.
  case timedOut
  /// No address was found for the name.
  case nameNotFound(String)
}

extension FlowEnd {
  /// A word for logs: stable, lower case, dashes.
  public var word: String {
    switch self {
    case .completed: "completed"
    case .clientReset: "client-reset"
    case .targetReset: "target-reset"
    case .targetUnreachable: "target-unreachable"
    case .clientLeft: "client-left"
    case .halfClosedIdle: "half-closed-idle"
    case .idle: "idle"
    case .cutOff: "cut-off"
    case .stopped: "stopped"
    case .noResources: "no-resources"
    case .evicted: "evicted"
    }
  }
}

extension ConnectFailure: CustomStringConvertible {
  /// A sentence's part.
  public var description: String {
    switch self {
    case .system(let error): error.description
    case .timedOut: "no answer in time"
    case .nameNotFound(let why): why
    }
  }
}

/// What a flow carries; raw values are words for logs.
public enum FlowTraffic: String, Hashable, Sendable {
  /// Bytes of TCP or of a unix stream socket, which are not looked at.
  case tcp
  /// Datagrams.
  case udp
  /// The control connection of an FTP session.
  case ftp
  /// A data connection of an FTP session.
  case ftpData = "ftp-data"
}

/// What is known of a flow, for the access log, lists and events.
public struct FlowRecord: Sendable {
  /// The tunnel's name.
  public var tunnel: String
  /// The flow's number, unique in the process and only growing.
  public var number: UInt64
  /// Where the client connected from.
  public var client: SocketAddress
  /// Where it connected to, nil while that is not known.
  public var listener: SocketAddress?
  /// Where we connected from, nil until a target was reached.
  public var local: SocketAddress?
  /// The target's address, nil until it was reached.
  public var target: SocketAddress?
  /// When it was accepted.
  public var started: WallTime
  /// How long it has lived.
  public var duration: Duration
  /// Bytes written to the target.
  public var bytesUp: UInt64
  /// Bytes written to the client.
  public var bytesDown: UInt64
  /// Bytes received that could not be delivered.
  public var bytesLost: UInt64
  /// A reset could not be passed on because that side is a unix socket; it was closed.
  public var resetNotExpressible: Bool
  /// How it ended, nil while it lives.
  public var end: FlowEnd?
  /// What it carried.
  public var traffic = FlowTraffic.tcp

  /// `TUNNEL/NUMBER`.
  public var name: String { "\(tunnel)/\(number)" }
}

/// Something that happened to a flow, for the log at level `debug`.
public enum FlowEvent: Sendable {
  /// A connection was accepted.
  case accepted(tunnel: String, number: UInt64, client: SocketAddress)
  /// An attempt to reach a target begins.
  case connecting(tunnel: String, number: UInt64, target: SocketAddress)
  /// An attempt failed; another may follow.
  case refused(tunnel: String, number: UInt64, target: SocketAddress, error: Errno)
  /// The target was reached.
  case connected(tunnel: String, number: UInt64, target: SocketAddress)
  /// A side ended its stream.
  case halfClosed(tunnel: String, number: UInt64, side: Side)
  /// A side was reset.
  case reset(tunnel: String, number: UInt64, side: Side)
}

/// Who is told what a relay does. Called on the loops' threads: it must not wait.
public protocol RelayObserver: AnyObject, Sendable {
  /// True when `happened` is to be called. Read once, when the relay is made.
  var wantsEvents: Bool { get }
  /// True when `ended` is to be called. Read once, when the relay is made.
  var wantsRecords: Bool { get }
  /// Something happened to a flow.
  func happened(_ event: FlowEvent)
  /// A flow has ended; its descriptors are closed when this returns.
  func ended(_ record: FlowRecord)
  /// Something that an operator should know, said at most once a period.
  func warned(_ warning: RelayWarning)
}

/// Something that an operator should know.
public enum RelayWarning: Sendable {
  /// Accepting pauses: the flow limit or a limit of the system is met.
  case acceptPaused(listener: SocketAddress, reason: AcceptPause)
  /// Accepting goes on.
  case acceptResumed(listener: SocketAddress, after: Duration)
}

/// Why a listener pauses.
public enum AcceptPause: Hashable, Sendable {
  /// As many flows as the process may have.
  case flowLimit(Int)
  /// The kernel refused a descriptor or memory.
  case system(Errno)
}
