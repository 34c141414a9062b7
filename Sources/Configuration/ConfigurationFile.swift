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

  /// What holds for the whole program.
  public var process: ProcessConfiguration
  /// The tunnels, in the order of the file.
  public var tunnels: [TunnelConfiguration]

  /// Makes the value of a file.
  public init(
    process: ProcessConfiguration = ProcessConfiguration(), tunnels: [TunnelConfiguration] = []
  ) {
    self.process = process
    self.tunnels = tunnels
  }

  /// Reads a file's bytes; `name` is what problems call it.
  ///
  /// What is not TOML is refused with its first error. Otherwise every problem is named.
  public static func parse(
    _ bytes: [UInt8], name: String
  ) throws(ConfigurationProblems) -> ConfigurationFile {
    let start = TOMLPlace(line: 1, column: 1)
    if bytes.count > byteLimit {
      throw only(.large(bytes: bytes.count), at: start, in: name)
    }
    if let place = deepKey(in: bytes) { throw only(.deepKey, at: place, in: name) }
    let root: TOMLNode
    do {
      root = try parseTOML(bytes)
    } catch {
      throw only(.syntax(error.words), at: error.place, in: name)
    }
    var reader = FileReader(name: name)
    let file = reader.file(root)
    if let problems = reader.collected { throw problems }
    return file
  }

  /// Reads a file's text.
  public static func parse(
    _ text: String, name: String
  ) throws(ConfigurationProblems) -> ConfigurationFile {
    try parse(Array(text.utf8), name: name)
  }

  private static func only(
    _ fault: DocumentFault, at place: TOMLPlace, in name: String
  ) -> ConfigurationProblems {
    let problem = ConfigurationProblem(
      file: name, line: place.line, column: place.column, key: nil, error: .document(fault))
    return ConfigurationProblems(problems: [problem], omitted: 0)
  }
}
