import Kernel
import Testing

@testable import Configuration

/// A file and the lines that say what is wrong in it.
struct ProblemCase: CustomTestStringConvertible {
  let name: String
  let text: String
  let lines: [String]
  var testDescription: String { name }

  init(_ name: String, _ text: String, _ lines: String...) {
    self.name = name
    self.text = text
    self.lines = lines
  }

  /// A good tunnel with more lines in it; they begin at line 5.
  static func tunnel(_ name: String, _ more: String, _ lines: String...) -> ProblemCase {
    var example = ProblemCase(
      name,
      """
      [[tunnel]]
      name = "web"
      listen = ["8080"]
      target = ["a:80"]
      \(more)
      """)
    example = ProblemCase(name: name, text: example.text, lines: lines)
    return example
  }

  private init(name: String, text: String, lines: [String]) {
    self.name = name
    self.text = text
    self.lines = lines
  }

  static let values: [ProblemCase] = [
    .tunnel(
      "not a duration", "half-closed-idle = \"5 minutes\"",
      "t.toml:5:20: tunnel.half-closed-idle: \"5 minutes\" is not a duration; "
        + "write a number with a unit (ms, s, m, h), as in \"5m\""),
    .tunnel(
      "a number as a duration", "idle = 5",
      "t.toml:5:8: tunnel.idle: an integer stands here; "
        + "write a duration in quotes, as in \"5m\""),
    .tunnel(
      "a duration too short", "connect-timeout = \"0s\"",
      "t.toml:5:19: tunnel.connect-timeout: \"0s\" is out of range; "
        + "write a duration from \"1ms\" to \"1h\""),
    .tunnel(
      "a duration too long", "idle = \"8761h\"",
      "t.toml:5:8: tunnel.idle: \"8761h\" is out of range; "
        + "write a duration from \"0s\" to \"8760h\""),
    .tunnel(
      "a fraction of a second", "keepalive.idle = \"1500ms\"",
      "t.toml:5:18: tunnel.keepalive.idle: \"1500ms\" is not a whole number of seconds; "
        + "the kernel counts this in seconds, as in \"10s\""),
    .tunnel(
      "a number out of range", "backlog = 0",
      "t.toml:5:11: tunnel.backlog: \"0\" is out of range; write a number from 1 to 65535"),
    .tunnel(
      "a number below zero", "[tunnel.limits]\nflows = -1",
      "t.toml:6:9: tunnel.limits.flows: \"-1\" is out of range; "
        + "write a number from 0 to 10000000"),
    .tunnel(
      "a float as a number", "backlog = 1.5",
      "t.toml:5:11: tunnel.backlog: a float stands here; "
        + "write a whole number without quotes, as in 100"),
    .tunnel(
      "a word as a boolean", "half-close = \"no\"",
      "t.toml:5:14: tunnel.half-close: a string stands here; "
        + "write true or false without quotes"),
    .tunnel(
      "an unknown choice", "start = \"always\"",
      "t.toml:5:9: tunnel.start: \"always\" is not one of the choices; "
        + "write \"manual\" or \"boot\""),
    .tunnel(
      "a balance to come", "balance = \"round-robin\"",
      "t.toml:5:11: tunnel.balance: balance \"round-robin\" is not in this version of Adit yet; "
        + "write \"first\""),
    .tunnel(
      "a date", "start = 2026-01-01",
      "t.toml:5:9: tunnel.start: a date or time stands here; "
        + "write one of the words in quotes: \"manual\" or \"boot\""),
    .tunnel(
      "a value for a table", "limits = 5",
      "t.toml:5:10: tunnel.limits: an integer stands here; write the table [tunnel.limits]"),
    .tunnel(
      "a number for keepalive", "keepalive = 5",
      "t.toml:5:13: tunnel.keepalive: an integer stands here; "
        + "write true or false without quotes"),
  ]

  static let keys: [ProblemCase] = [
    .tunnel(
      "a misspelt key", "half-closed-idel = \"5m\"",
      "t.toml:5:1: tunnel: \"half-closed-idel\" is not a key that is known here; "
        + "did you mean \"half-closed-idle\"?"),
    .tunnel(
      "a key outside its table", "flows = 5",
      "t.toml:5:1: tunnel: \"flows\" is not a key that is known here; "
        + "did you mean \"limits.flows\"?"),
    .tunnel(
      "a key like no other", "colour = \"red\"",
      "t.toml:5:1: tunnel: \"colour\" is not a key that is known here; leave it out"),
    .tunnel(
      "a misspelt key in a table", "[tunnel.limits]\nflow = 5",
      "t.toml:6:1: tunnel: \"limits.flow\" is not a key that is known here; "
        + "did you mean \"limits.flows\"?"),
    .tunnel(
      "a key to come", "allow = [\"10.0.0.0/8\"]",
      "t.toml:5:1: tunnel: \"allow\" (the sources that may connect) "
        + "is not in this version of Adit yet; leave it out"),
    .tunnel(
      "a table to come", "[tunnel.tls]\ncertificate = \"web.pem\"",
      "t.toml:5:9: tunnel: \"tls\" (TLS on the listening side) "
        + "is not in this version of Adit yet; leave it out"),
    .tunnel(
      "a key about UDP where there is none", "[tunnel.limits]\nflows-per-source = 1",
      "t.toml:6:1: tunnel.limits.flows-per-source: \"limits.flows-per-source\" is about UDP, "
        + "and this tunnel listens for none; leave it out"),
    ProblemCase(
      "a key about connections where there are none",
      "[[tunnel]]\nname='a'\nlisten='53/udp'\ntarget='a:1'\nhalf-closed-idle='1s'\n"
        + "[tunnel.keepalive]\nidle='1s'",
      "t.toml:5:1: tunnel.half-closed-idle: \"half-closed-idle\" is about connections, "
        + "and UDP has none; leave it out",
      "t.toml:6:9: tunnel.keepalive: \"keepalive\" is about connections, and UDP has none; "
        + "leave it out"),
    ProblemCase(
      "a unix socket behind UDP",
      "[[tunnel]]\nname='a'\nlisten='53/udp'\ntarget='unix:/run/x'",
      "t.toml:4:8: tunnel.target: UDP cannot be carried to \"unix:/run/x\"; write HOST:PORT"),
    ProblemCase(
      "a target for UDP behind a listener for connections",
      "[[tunnel]]\nname='a'\nlisten='53'\ntarget='udp://a:1'",
      "t.toml:4:8: tunnel.target: \"udp://a:1\" takes UDP, and this tunnel listens for "
        + "connections; write udp:// or PORT/udp where it listens, or no scheme here"),
    ProblemCase(
      "an unknown table", "[proces]\n[[tunnel]]\nname='a'\nlisten='1'\ntarget='a:1'",
      "t.toml:1:2: \"proces\" is not a key that is known here; did you mean \"process\"?"),
    ProblemCase(
      "a misspelt key of the process",
      "[process]\nthread = 1\n[[tunnel]]\nname='a'\nlisten='1'\ntarget='a:1'",
      "t.toml:2:1: process: \"thread\" is not a key that is known here; did you mean \"threads\"?"),
    ProblemCase(
      "one bracket too few", "[tunnel]\nname = \"web\"",
      "t.toml:1:2: tunnel: a table stands here; write [[tunnel]], with two brackets on each side"),
    ProblemCase(
      "numbers for tunnels", "tunnel = [1]",
      "t.toml:1:11: tunnel: an integer stands here; write a table"),
    ProblemCase(
      "a number for the process", "process = 1\n[[tunnel]]\nname='a'\nlisten='1'\ntarget='a:1'",
      "t.toml:1:11: process: an integer stands here; write [process]"),
    ProblemCase(
      "an empty file", "# nothing\n",
      "t.toml:1:1: \"tunnel\" is missing; write it as in [[tunnel]] with name, listen and target"),
    ProblemCase(
      "no tunnels", "tunnel = []\n",
      "t.toml:1:1: \"tunnel\" is missing; write it as in [[tunnel]] with name, listen and target"),
  ]

  static let tunnels: [ProblemCase] = [
    ProblemCase(
      "an empty tunnel", "\n[[tunnel]]\n",
      "t.toml:2:1: tunnel.name: \"name\" is missing; write it as in name = \"web\"",
      "t.toml:2:1: tunnel.listen: \"listen\" is missing; write it as in listen = [\"8080\"]",
      "t.toml:2:1: tunnel.target: \"target\" is missing; "
        + "write it as in target = [\"web.example:80\"]"),
    ProblemCase(
      "wrong LISTEN and TARGET",
      "[[tunnel]]\nname = \"a/b\"\nlisten = [\"8080\",\n  \"8080x\", 9]\ntarget = \"a:1,b\"",
      "t.toml:2:8: tunnel.name: \"a/b\" is not a tunnel's name; a name has at most 64 letters, "
        + "digits, '-', '_' and '.', and begins with a letter or digit",
      "t.toml:4:3: tunnel.listen: \"8080x\": column 5: 'x' is not part of a port; "
        + "a port is a number from 0 to 65535",
      "t.toml:4:12: tunnel.listen: an integer stands here; write strings in the list",
      "t.toml:5:10: tunnel.target: \"a:1,b\": column 6: the port is missing; "
        + "a port is a number from 1 to 65535"),
    ProblemCase(
      "an empty list", "[[tunnel]]\nname = \"a\"\nlisten = []\ntarget = [\"a:1\"]",
      "t.toml:3:10: tunnel.listen: the list is empty; "
        + "write it as in a list of strings, as in [\"8080\"]"),
    ProblemCase(
      "two tunnels of one name",
      """
      [[tunnel]]
      name = "web"
      listen = "1"
      target = "a:1"
      [[tunnel]]
      listen = "2"
      name = "web"
      target = "a:1"
      """,
      "t.toml:7:8: tunnel.name: the tunnel in line 1 is called \"web\" too; "
        + "give each tunnel a name of its own"),
    ProblemCase(
      "two tunnels at one address",
      """
      [[tunnel]]
      name = "one"
      listen = ["any:80", "fd:web", "unix:/x", "0"]
      target = "a:1"
      [[tunnel]]
      name = "two"
      listen = ["0.0.0.0:80", "fd:web", "unix:/x", "0"]
      target = "a:1"
      """,
      "t.toml:7:11: tunnel.listen: tunnel \"one\" in line 1 listens at \"0.0.0.0:80\" too; "
        + "give each tunnel an address or port of its own",
      "t.toml:7:25: tunnel.listen: tunnel \"one\" in line 1 listens at \"fd:web\" too; "
        + "give each tunnel an address or port of its own",
      "t.toml:7:35: tunnel.listen: tunnel \"one\" in line 1 listens at \"unix:/x\" too; "
        + "give each tunnel an address or port of its own"),
    ProblemCase(
      "one address twice",
      "[[tunnel]]\nname = \"a\"\nlisten = [\"80\", \"127.0.0.1:80\"]\ntarget = [\"a:1\"]",
      "t.toml:3:17: tunnel.listen: \"127.0.0.1:80\" stands here twice; write it once"),
  ]

  static let syntax: [ProblemCase] = [
    ProblemCase(
      "a value without an end", "a = 1\nb = [1,\n",
      "t.toml:2:9: this is not TOML: Error while parsing array: encountered end-of-file; "
        + "see toml.io for the rules"),
    ProblemCase(
      "a key twice", "[process]\nthreads = 1\nthreads = 2\n",
      "t.toml:3:11: this is not TOML: Error while parsing key-value pair: "
        + "cannot redefine existing integer 'threads'; see toml.io for the rules"),
  ]
}

@Suite struct ConfigurationFileTests {
  private func problems(_ text: String) -> [String] {
    do {
      _ = try ConfigurationFile.parse(text, name: "t.toml")
      return []
    } catch {
      return error.problems.map(\.description)
    }
  }

  @Test("A wrong value is named with line and column", arguments: ProblemCase.values)
  func values(_ example: ProblemCase) {
    #expect(problems(example.text) == example.lines)
  }

  @Test("A wrong key is named with line and column", arguments: ProblemCase.keys)
  func keys(_ example: ProblemCase) {
    #expect(problems(example.text) == example.lines)
  }

  @Test("What is wrong among tunnels is named with line and column", arguments: ProblemCase.tunnels)
  func tunnels(_ example: ProblemCase) {
    #expect(problems(example.text) == example.lines)
  }

  @Test("What is not TOML is refused with its first error alone", arguments: ProblemCase.syntax)
  func syntax(_ example: ProblemCase) {
    #expect(problems(example.text) == example.lines)
  }

  @Test("All problems are named, in the order of the source")
  func order() {
    let lines = problems(
      """
      [[tunnel]]
      target = "a"
      zebra = 1
      listen = "x"
      backlog = true
      apple = 1
      [process]
      log = "loud"
      """)
    let places = lines.map { $0.split(separator: " ")[0] }
    #expect(
      places == [
        "t.toml:1:1:", "t.toml:2:10:", "t.toml:3:1:", "t.toml:4:10:", "t.toml:5:11:",
        "t.toml:6:1:", "t.toml:8:7:",
      ])
  }

  @Test("A problem is plain values for programs")
  func report() throws {
    let error = #expect(throws: ConfigurationProblems.self) {
      try ConfigurationFile.parse("\n[[tunnel]]\nname='a'\nlisten='1'\ntarget='b'", name: "t.toml")
    }
    let problem = try #require(error?.problems.first)
    #expect(
      problem.report
        == ProblemReport(
          code: "port-missing", file: "t.toml", line: 5, column: 8, key: "tunnel.target",
          what: "\"b\": column 2: the port is missing",
          expected: "a port is a number from 1 to 65535"))
    #expect(
      problem.error.report
        == ProblemReport(
          code: "port-missing", file: nil, line: nil, column: 2, key: "target",
          what: "\"b\": column 2: the port is missing",
          expected: "a port is a number from 1 to 65535"))
  }

  @Test("A whole file reads as its values")
  func reads() throws {
    let file = try ConfigurationFile.parse(
      """
      [process]
      threads = 2
      log-level = "debug"
      [[tunnel]]
      name = "web"
      listen = ["any:8080", "unix:@web"]
      target = ["a:80,b:81", "unix:/c"]
      half-close = false
      keepalive = false
      [tunnel.limits]
      flows = 7
      [[tunnel]]
      name = "ssh"
      listen = "2222"
      target = "localhost:22"
      keepalive.count = 3
      """, name: "t.toml")
    #expect(file.process.threads == 2)
    #expect(file.process.logLevel == .debug)
    let web = try #require(file.tunnels.first)
    #expect(web.listen == [.ip(.any, port: 8080), .unix(.abstract("web"))])
    #expect(web.targets.map(\.description) == ["a:80", "b:81", "unix:/c"])
    #expect(!web.halfClose)
    #expect(web.keepalive == nil)
    #expect(web.limits.flows == 7)
    let ssh = try #require(file.tunnels.last)
    #expect(ssh.keepalive?.count == 3)
    #expect(ssh.keepalive?.idle == .seconds(60))
  }
}
