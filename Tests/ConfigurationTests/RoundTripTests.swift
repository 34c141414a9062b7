import Kernel
import TestSupport
import Testing

@testable import Configuration

/// Random values, each of which text can say.
struct ValueGenerator {
  var random: Seeded
  private var taken: Set<ListenSpecification> = []
  private var freePort: UInt16 = 1

  init(seed: UInt64) {
    random = Seeded(seed)
  }

  mutating func address() -> IPAddress {
    if Bool.random(using: &random) { return .v4(.random(in: 1 ... .max, using: &random)) }
    let scope: UInt32 = Int.random(in: 0..<4, using: &random) == 0 ? 1 : 0
    return .v6(.random(in: 1 ... .max, using: &random), random.next(), scope: scope)
  }

  mutating func port() -> UInt16 { .random(in: 1 ... .max, using: &random) }

  mutating func word(_ letters: String, upTo limit: Int) -> String {
    let letters = Array(letters)
    let count = Int.random(in: 1...limit, using: &random)
    return String((0..<count).map { _ in letters[Int.random(in: letters.indices, using: &random)] })
  }

  mutating func unixName(_ letters: String) -> UnixName {
    if Bool.random(using: &random) { return .abstract(word(letters, upTo: 20)) }
    return .path("/" + word(letters, upTo: 20))
  }

  mutating func listen() -> ListenSpecification {
    switch Int.random(in: 0..<5, using: &random) {
    case 0: .ip(.address(address()), port: port())
    case 1: .ip(.any, port: port())
    case 2: .ip(.localhost, port: port())
    case 3: .unix(unixName("az09 ,=\"\\\u{1}\u{7f}ü\n\u{2028}🙂"))
    case _: .inherited(word("az09-_.=[]\"\\", upTo: 20))
    }
  }

  /// Adds a place where nothing else listens: a file with two tunnels at one place is refused.
  private mutating func addListen(to tunnel: inout TunnelConfiguration) {
    var next = listen()
    if case .ip(let address, _) = next { next = .ip(address, port: freePort) }
    if !taken.insert(next).inserted { return addListen(to: &tunnel) }
    freePort += 1
    tunnel.listen.append(next)
  }

  mutating func target() throws -> TargetSpecification {
    switch Int.random(in: 0..<3, using: &random) {
    case 0: .address(address(), port: port())
    case 1: .host(try HostName("h" + word("az09_", upTo: 20) + ".example"), port: port())
    case _: .unix(unixName("az09 =\"\\\u{1}ü🙂"))
    }
  }

  mutating func duration(_ most: Int64, unit: Int64 = 1) -> Duration {
    .milliseconds(Int64.random(in: 1...most, using: &random) * unit)
  }

  mutating func tunnel(_ name: String) throws -> TunnelConfiguration {
    var tunnel = TunnelConfiguration(name: name)
    for _ in 0..<Int.random(in: 1...4, using: &random) { addListen(to: &tunnel) }
    for _ in 0..<Int.random(in: 1...4, using: &random) { tunnel.targets.append(try target()) }
    if Bool.random(using: &random) { tunnel.connectTimeout = duration(3_600_000) }
    if Bool.random(using: &random) { tunnel.halfClosedIdle = duration(86_400_000) }
    if Bool.random(using: &random) { tunnel.idle = duration(31_536_000_000) }
    if Bool.random(using: &random) { tunnel.drainTimeout = duration(86_400_000) }
    if Bool.random(using: &random) { tunnel.resetDrain = duration(3_600_000) }
    if Bool.random(using: &random) { tunnel.userTimeout = duration(86_400_000) }
    if Bool.random(using: &random) { tunnel.keepalive?.idle = duration(32_767, unit: 1000) }
    if Bool.random(using: &random) { tunnel.keepalive?.interval = duration(32_767, unit: 1000) }
    if Bool.random(using: &random) {
      tunnel.keepalive?.count = .random(in: 1...127, using: &random)
    }
    if Bool.random(using: &random) { tunnel.keepalive = nil }
    tunnel.halfClose = .random(using: &random)
    tunnel.noDelay = .random(using: &random)
    tunnel.start = Bool.random(using: &random) ? .boot : .manual
    if Bool.random(using: &random) { tunnel.backlog = .random(in: 1...65_535, using: &random) }
    if Bool.random(using: &random) { tunnel.limits.flows = .random(in: 0...999, using: &random) }
    return tunnel
  }
}

@Suite struct RoundTripTests {
  @Test("Random LISTEN and TARGET print as text that reads the same", arguments: seeds)
  func grammar(_ seed: UInt64) throws {
    var generator = ValueGenerator(seed: seed)
    for _ in 0..<200 {
      let listen = generator.listen()
      #expect(try ListenSpecification(listen.description).description == listen.description)
      let target = try generator.target()
      #expect(try TargetSpecification(target.description) == target)
    }
  }

  @Test("A random file is written as TOML that reads the same", arguments: seeds)
  func file(_ seed: UInt64) throws {
    var generator = ValueGenerator(seed: seed)
    var file = ConfigurationFile()
    file.process.threads = Int.random(in: 0...4, using: &generator.random)
    file.process.log = LogFormat.allCases.randomElement(using: &generator.random) ?? .auto
    for index in 0..<20 { file.tunnels.append(try generator.tunnel("tunnel-\(index)")) }
    #expect(try ConfigurationFile.parse(file.toml, name: "t.toml") == file)
  }

  @Test("TOML says only what differs from the default")
  func export() throws {
    var tunnel = TunnelConfiguration(
      name: "web", listen: [try ListenSpecification("any:8080")],
      targets: try TargetSpecification.list("a:80,unix:/b"))
    #expect(
      tunnel.toml == """
        [[tunnel]]
        name = "web"
        listen = ["any:8080"]
        target = ["a:80", "unix:/b"]

        """)
    tunnel.halfClose = false
    tunnel.limits.flows = 5
    tunnel.keepalive?.idle = .seconds(90)
    tunnel.idle = .seconds(3600)
    #expect(
      tunnel.toml == """
        [[tunnel]]
        name = "web"
        listen = ["any:8080"]
        target = ["a:80", "unix:/b"]
        idle = "1h"
        half-close = false
        [tunnel.keepalive]
        idle = "1m30s"
        [tunnel.limits]
        flows = 5

        """)
    #expect(ProcessConfiguration().toml == "")
  }
}
