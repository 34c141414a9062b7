internal import Kernel

/// What a datagram tunnel does with its sessions; every limit has a name and a default.
public struct DatagramSettings: Hashable, Sendable {
  /// Silence in both directions after which a session is over.
  public var idle: Duration = .seconds(60)
  /// Sessions of the tunnel at once; nil for as many as the process may have.
  public var flowLimit: Int?
  /// Sessions of one source at once, an IPv4 address or the /64 of an IPv6 one; nil for no limit.
  public var flowsPerSource: Int?
  /// Bytes asked for of the kernel for what was received and not yet taken, a socket.
  public var receiveBuffer: Int32 = 4_194_304

  /// The defaults.
  public init() {}
}

/// A UDP tunnel: what comes to `listen` goes to the first of `targets` that does not refuse it.
public struct DatagramTunnel: Hashable, Sendable {
  /// The tunnel's name, part of the name of each of its sessions.
  public var name: String
  /// Targets in the order of trying, at least one.
  public var targets: [RelayTarget]
  /// Times and limits.
  public var settings: DatagramSettings

  /// Makes a tunnel.
  public init(
    name: String, targets: [RelayTarget], settings: DatagramSettings = DatagramSettings()
  ) {
    precondition(!targets.isEmpty, "a tunnel has at least one target")
    self.name = name
    self.targets = targets
    self.settings = settings
  }
}

/// Fixed limits of the datagram relay.
enum DatagramLimits {
  /// Datagrams of one call: the kernel joins and cuts no more than this many.
  static let batch = 64
  /// Calls for one socket before others get their turn.
  static let callsPerTurn = 4
  /// Datagrams that a session keeps while its target's name is looked up.
  static let waitingDatagrams = 8
  /// Bytes of all such datagrams, a loop.
  static let waitingBytes = 4_194_304
  /// Silence after which a session is over when its listener has been closed.
  static let closingIdle = Duration.seconds(5)
  /// A session goes to another address no more often than this.
  static let moveInterval = Duration.seconds(1)
  /// How often a silent target's name is looked up again.
  static let recheckInterval = Duration.seconds(30)
  /// After the first family's answer the other's is waited for this long (RFC 8305 §3).
  static let resolutionDelay = Duration.milliseconds(50)
  /// Sessions that may be ended so that one can begin: one for each of its limits.
  static let evictionsPerSession = 3
}

/// A datagram tunnel as its sessions see it; a reload gives new ones another.
final class ActiveDatagramTunnel: Sendable {
  let name: String
  let targets: [RelayTarget]
  let settings: DatagramSettings
  /// The sessions that the tunnel may have, shared by its listeners and loops.
  let budget: FlowBudget
  /// The sessions of each source, shared alike.
  let sources: SourceBudget

  init(_ tunnel: DatagramTunnel, budget: FlowBudget, sources: SourceBudget) {
    name = tunnel.name
    targets = tunnel.targets
    settings = tunnel.settings
    self.budget = budget
    self.sources = sources
  }
}

/// Sessions that each source has, over all loops. Asked when a session begins or ends only.
final class SourceBudget: Sendable {
  private let counts = Lock<[DatagramSource: Int]>([:])

  /// Takes a place; false when the source has `limit` already.
  func take(_ source: DatagramSource, limit: Int) -> Bool {
    counts.withLock { counts in
      let count = counts[source, default: 0]
      guard count < limit else { return false }
      counts[source] = count + 1
      return true
    }
  }

  /// Gives a place back.
  func give(_ source: DatagramSource) {
    counts.withLock { counts in
      guard let count = counts[source] else { return }
      counts[source] = count > 1 ? count - 1 : nil
    }
  }
}

/// Who counts as one source: an IPv4 address, or the network of 64 bits that an IPv6 host has.
struct DatagramSource: Hashable, Sendable {
  private let bits: UInt64
  private let isIPv6: Bool

  init(_ address: IPAddress) {
    switch address {
    case .v4(let address):
      bits = UInt64(address)
      isIPv6 = false
    case .v6(let upper, _, _):
      bits = upper
      isIPv6 = true
    }
  }
}
