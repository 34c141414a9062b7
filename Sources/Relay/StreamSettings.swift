public import Kernel

/// What a stream tunnel does with its connections; every limit has a name and a default.
public struct StreamSettings: Hashable, Sendable {
  /// Time for reaching a target, over all its addresses and all targets of the list.
  public var connectTimeout: Duration = .seconds(10)
  /// Time without a byte after which a connection of which one direction is over is reset.
  public var halfClosedIdle: Duration = .seconds(300)
  /// Time without a byte after which any connection is reset; zero for never.
  public var idle: Duration = .zero
  /// Time that the last bytes of a side that was reset, or cut off, may take to be delivered.
  public var resetDrain: Duration = .seconds(5)
  /// Time that sent bytes may stay unacknowledged, TCP_USER_TIMEOUT; zero for the system's.
  ///
  /// Suspended while the peer's window is closed: a peer that merely does not read is alive.
  public var userTimeout: Duration = .zero
  /// Probes of silent connections; nil for none.
  public var keepalive: Keepalive? = Keepalive(idleSeconds: 60, intervalSeconds: 10, count: 6)
  /// True: small segments are sent at once, TCP_NODELAY.
  public var sendsAtOnce = true
  /// Connections that the kernel holds until they are accepted; `net.core.somaxconn` caps it.
  public var backlog: Int32 = 4096
  /// Flows of the tunnel at once; nil for as many as the process may have.
  public var flowLimit: Int?
  /// False: an end of stream from one side ends the connection in both directions.
  public var passesHalfClose = true

  /// How FTP is relayed, with its data connections; nil for a tunnel of bytes.
  public var ftp: FTPSettings?

  /// The defaults.
  public init() {}
}

/// Where a tunnel leads.
public enum RelayTarget: Hashable, Sendable {
  /// A numeric address or a unix socket.
  case address(SocketAddress)
  /// A host by name; looked up again when its answer has aged or a connection failed.
  case name(String, port: UInt16)
}

extension RelayTarget: CustomStringConvertible {
  /// `HOST:PORT` or the address's text.
  public var description: String {
    switch self {
    case .address(let address): address.description
    case .name(let host, let port): "\(host):\(port)"
    }
  }
}

/// A TCP tunnel: what is accepted at `listen` goes to the first of `targets` that can be reached.
public struct StreamTunnel: Hashable, Sendable {
  /// The tunnel's name, part of the name of each of its flows.
  public var name: String
  /// Targets in the order of trying, at least one.
  public var targets: [RelayTarget]
  /// Times and options.
  public var settings: StreamSettings

  /// Makes a tunnel.
  public init(name: String, targets: [RelayTarget], settings: StreamSettings = StreamSettings()) {
    precondition(!targets.isEmpty, "a tunnel has at least one target")
    self.name = name
    self.targets = targets
    self.settings = settings
  }
}

/// What a relay may use, in this process; counts are for one loop.
public struct RelayLimits: Hashable, Sendable {
  /// Flows at once in the process. Two descriptors each.
  public var flows: Int
  /// Buffers for bytes whose sink is slow, a loop; 64 KiB each.
  public var buffers = 256
  /// Pipes for bulk transfer, a loop; two descriptors each.
  public var pipes: Int
  /// Connections taken from a listener before others get their turn.
  public var acceptBurst = 64

  /// Bytes of a buffer. One read fills at most this much; a full one begins bulk transfer.
  public static let bufferSize = 65_536
  /// Bytes asked for of a pipe: the most that any user may have (`fs.pipe-max-size`). A larger pipe
  /// means fewer sleeps a gigabyte; the kernel's pages for one user's pipes
  /// (`fs.pipe-user-pages-soft`) are good for 64 of these, and later ones are smaller.
  public static let pipeCapacity = 1_048_576
  /// Bytes that a pipe must have to be of use.
  public static let leastPipeCapacity = 65_536
  /// Descriptors that a loop may need for names.
  public static let nameDescriptors = 4
  /// Descriptors for what comes and goes: files that are read, addresses that are raced.
  public static let spareDescriptors = 8

  /// Derives the limits from the process's descriptor limit, the descriptors that are open now, the
  /// loops (made already) and the listeners (not yet opened).
  ///
  /// Every flow takes two descriptors and a pipe two more. Pipes are held only while bytes are in
  /// them, so a sixteenth of the descriptors, at most 64 pipes a loop, is set aside for them; where
  /// none is left, bytes are copied.
  public init(descriptorLimit: Int, openDescriptors: Int, loops: Int, listeners: Int) {
    // The wildcard takes a socket of each family.
    let perLoop = RelayLimits.nameDescriptors + 2 * listeners
    let reserved = openDescriptors + loops * perLoop + RelayLimits.spareDescriptors
    let available = max(2, descriptorLimit - reserved)
    pipes = min(64, available / 32 / loops)
    flows = max(1, (available - 2 * pipes * loops) / 2)
  }
}
