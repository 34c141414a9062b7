/// How a tunnel relays FTP.
public struct FTPSettings: Hashable, Sendable {
  /// What AUTH is answered with.
  public enum Security: String, Hashable, Sendable {
    /// A refusal.
    case refuse
    /// The server's answer; after it nothing is read, and data connections are not relayed.
    case pass
  }

  /// What AUTH is answered with.
  public var security = Security.refuse
  /// Ports for clients' passive data connections; nil for those that the kernel gives out.
  public var passivePorts: ClosedRange<UInt16>?
  /// The port that active data connections to clients come from; nil for any.
  public var sourcePort: UInt16?
  /// Time in which somebody must come to a data listener.
  public var listenerLife = Duration.seconds(30)

  /// Data connections of one session at once; one is what clients have.
  public static let dataFlowsPerSession = 16
  /// Bytes held for a peer that does not read before the other is read no more.
  public static let outputLimit = 65_536

  /// The defaults.
  public init() {}
}
