/// What one file says.
public struct ConfigurationFile: Hashable, Sendable {
  /// The largest file, in bytes.
  public static let byteLimit = 1 << 20
  /// The most tunnels in one file.
  public static let tunnelLimit = 1000
  /// The most values of one key: addresses to listen at, or targets.
  public static let listLimit = 256
  /// The most parts of a dotted key or a table's header. The parser's tables nest as deep, and
  /// they are freed by recursion.
  public static let keyDepthLimit = 16
}
