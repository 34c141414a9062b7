/// One tunnel: where it listens, where it carries to, and how.
public struct TunnelConfiguration: Hashable, Sendable {
  /// How long a UDP session may be silent when nothing else is said.
  public static let udpIdle = Duration.seconds(60)
  /// The longest name, in bytes.
  public static let nameLimit = 64

  // What it is.

  /// The name people and programs call it by; unique in a file.
  public var name: String
  /// Where it listens.
  public var listen: [ListenSpecification]
  /// Where it carries to, in the order of trying.
  public var targets: [TargetSpecification]
  /// When it starts.
  public var start = StartMode.manual
  /// How a target is chosen.
  public var balance = Balance.first

  // How long things may take; zero means no limit where the key says so.

  /// For connecting one flow, over all its targets.
  public var connectTimeout = Duration.seconds(10)
  /// For a flow of which one side has ended, restarted by every byte; zero means no limit.
  public var halfClosedIdle = Duration.seconds(300)
  /// For a flow with both sides open, restarted by every byte; zero means no limit for TCP and
  /// `udpIdle` for UDP, whose sessions have no other end.
  public var idle = Duration.zero
  /// For the flows of a tunnel that ends while the program goes on.
  public var drainTimeout = Duration.seconds(30)
  /// For delivering received bytes before a reset is passed on.
  public var resetDrain = Duration.seconds(5)
  /// For sent bytes to be acknowledged (`TCP_USER_TIMEOUT`); zero means the kernel's own limit.
  public var userTimeout = Duration.zero

  // How sockets are set.

  /// Whether the end of one direction leaves the other open.
  public var halfClose = true
  /// Whether small segments are sent at once (`TCP_NODELAY`).
  public var noDelay = true
  /// Probes of silent peers; nil for none.
  public var keepalive: KeepaliveSettings? = KeepaliveSettings()
  /// Connections the kernel holds until they are accepted.
  public var backlog = 4096
  /// Bytes that the kernel holds of datagrams until they are taken, a UDP socket.
  public var receiveBuffer = 4_194_304

  /// What the tunnel may use.
  public var limits = TunnelLimits()
  /// How it carries FTP, where it listens for that.
  public var ftp = FTPConfiguration()

  /// Makes a tunnel with the default of everything else.
  public init(
    name: String = "", listen: [ListenSpecification] = [], targets: [TargetSpecification] = []
  ) {
    self.name = name
    self.listen = listen
    self.targets = targets
  }

  /// Whether `name` can be a tunnel's name: ASCII letters, digits, `-`, `_` and `.`, a letter or
  /// digit first, at most `nameLimit` of them.
  public static func isName(_ name: String) -> Bool {
    guard let first = name.first, first != "-", first != "_", first != "." else { return false }
    guard name.utf8.count <= nameLimit else { return false }
    return name.allSatisfy { character in
      character.isASCII
        && (character.isLetter || character.isDecimalDigit || "-_.".contains(character))
    }
  }
}

/// Probes by which the kernel finds out that a silent peer is gone.
public struct KeepaliveSettings: Hashable, Sendable {
  /// Silence before the first probe.
  public var idle = Duration.seconds(60)
  /// Time between probes.
  public var interval = Duration.seconds(10)
  /// Probes without an answer before the connection counts as dead.
  public var count = 6

  /// Makes the default.
  public init() {}
}

/// What one tunnel may use.
public struct TunnelLimits: Hashable, Sendable {
  /// Flows at one time; 0 for as many as the process has descriptors for.
  public var flows = 0
  /// UDP sessions of one source at one time; 0 for no limit.
  public var flowsPerSource = 0

  /// Makes the default.
  public init() {}
}

/// How a tunnel carries FTP.
public struct FTPConfiguration: Hashable, Sendable {
  /// What AUTH is answered with.
  public var tls = FTPSecurity.refuse
  /// Ports for passive data connections; nil for those that the kernel gives out.
  public var passivePorts: ClosedRange<UInt16>?
  /// The port that active data connections come from; 0 for any.
  public var sourcePort = 0

  /// Makes the default.
  public init() {}
}

/// What AUTH is answered with.
public enum FTPSecurity: String, CaseIterable, Hashable, Sendable {
  /// A refusal: the session stays in clear text.
  case refuse
  /// The server's answer; after it nothing is read, and no data connection is relayed.
  case pass
}

/// When a tunnel starts.
public enum StartMode: String, CaseIterable, Hashable, Sendable {
  /// When it is told to. `adit forward` starts every tunnel it is given.
  case manual
  /// With the daemon.
  case boot
}

/// How a target is chosen.
public enum Balance: String, CaseIterable, Hashable, Sendable {
  /// The first that can be reached, in the order written.
  case first
}
