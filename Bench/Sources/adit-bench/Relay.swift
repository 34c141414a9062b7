import Foundation

/// A program under comparison: how it is started for one listener and one target.
struct Relay: Sendable {
  var name: String
  /// The program, or nil for the direct path without any relay.
  var path: String?
  /// Whether its peaks count for the rates that are offered to all.
  var isSerious = true
  var canHaveThreads = true
  /// Descriptors per connection and the most connections it can be asked to hold, for idle runs.
  var descriptorsPerConnection = 2
  var connectionLimit = Int.max
  var versionArguments: [String] = []
  /// Writes what the program needs into a folder and returns its command.
  var command: @Sendable (Plan) throws -> [String] = { _ in [] }
  /// Whether the listener is opened for it, as systemd does.
  var isActivated = false

  /// The names that `--relays` takes, in the order of the tables.
  static let names = [
    "direct", "adit", "haproxy", "haproxy-splice", "nginx", "socket-proxyd", "socat",
  ]

  /// Where a relay listens, where it connects to, and the folder it may use.
  struct Plan {
    var listen: Int
    var target: Int
    var threads: Int
    var folder: String

    /// Writes `text` as the configuration and returns its path.
    func configuration(_ text: String) throws -> String {
      let path = "\(folder)/relay.conf"
      try text.write(toFile: path, atomically: true, encoding: .utf8)
      return path
    }
  }

  /// All relays that were asked for, present or not.
  static func all(_ options: Options) -> [Relay] {
    let known = [
      direct, adit(options.adit), haproxy(splice: false), haproxy(splice: true), nginx,
      socketProxy, socat,
    ]
    guard let wanted = options.relays else { return known }
    return known.filter { wanted.contains($0.name) }
  }

  var isPresent: Bool {
    name == "direct" || path.map { FileManager.default.isExecutableFile(atPath: $0) } ?? false
  }
  var isPeer: Bool { name != "direct" && name != "adit" }

  static let direct = Relay(name: "direct", isSerious: false)

  static func adit(_ path: String) -> Relay {
    Relay(
      name: "adit", path: URL(fileURLWithPath: path).path, isSerious: false,
      versionArguments: ["--version"],
      command: { plan in
        [
          URL(fileURLWithPath: path).path, "forward", "127.0.0.1:\(plan.listen)",
          "127.0.0.1:\(plan.target)", "--threads", "\(plan.threads)", "--log", "off",
        ]
      })
  }
}
