import Configuration
import Testing

@testable import AditCommands

/// What `adit forward` understands, and what it says to the rest.
@Suite struct ForwardUsageTests {
  private func parse(_ line: String) throws -> ForwardArguments {
    try ForwardParser.parse(line.split(separator: " ").map { String($0) })
  }

  private func tunnels(_ line: String) throws -> [TunnelConfiguration] {
    guard case .tunnels(let tunnels) = try parse(line).source else { return [] }
    return tunnels
  }

  @Test("LISTEN and TARGET make one tunnel that is called forward")
  func oneTunnel() throws {
    let tunnels = try tunnels("8080 a.example:80,b.example:81")
    #expect(tunnels.map(\.name) == ["forward"])
    #expect(tunnels.map { $0.listen.map(\.description) } == [["127.0.0.1:8080"]])
    #expect(tunnels.map { $0.targets.map(\.description) } == [["a.example:80", "b.example:81"]])
  }

  @Test("Options before the first -L hold for all, those behind one are its own")
  func optionsAndOrder() throws {
    let tunnels = try tunnels(
      "--idle 1m -L 1=a:1 --idle=2m --name mine -L 2=b:2 --no-half-close -L 3=c:3")
    #expect(tunnels.map(\.idle) == [.seconds(120), .seconds(60), .seconds(60)])
    #expect(tunnels.map(\.halfClose) == [true, false, true])
    #expect(tunnels.map(\.name) == ["mine", "forward-2", "forward-3"])
  }

  @Test(
    "A boolean option takes a value behind a space or an equals sign, or none",
    arguments: [
      ("--half-close", true), ("--half-close=false", false), ("--half-close false", false),
      ("--half-close true", true), ("--no-half-close", false), ("--no-delay=false", true),
    ])
  func booleans(option: String, halfClose: Bool) throws {
    #expect(try tunnels("\(option) 1 a:1").map(\.halfClose) == [halfClose])
    #expect(try tunnels("1 a:1 \(option)").map(\.halfClose) == [halfClose])
  }

  @Test("Process options may stand anywhere and are above those of a file")
  func processOptions() throws {
    let arguments = try parse("--threads=3 --config a.toml --log json --drain-timeout 1s --json")
    #expect(arguments.source == .file("a.toml"))
    #expect(arguments.isJSON)
    var base = ProcessConfiguration()
    base.threads = 7
    base.pipes = 5
    let process = arguments.process(over: base)
    #expect(process.threads == 3)
    #expect(process.pipes == 5)
    #expect(process.log == .json)
    #expect(process.drainTimeout == .seconds(1))
  }

  @Test("-L needs no space, and behind -- everything is a word")
  func shortForms() throws {
    #expect(try tunnels("-L1=a:1 -L 2=b:2").count == 2)
    #expect(try tunnels("--idle 1s -- 1 a:1").count == 1)
  }

  @Test("Every option of the table is understood with a value that fits")
  func wholeTable() throws {
    for option in ForwardOption.all where option.group == .tunnel || option.group == .process {
      var words = [option.name]
      if case .required = option.argument {
        words.append(option.defaultText.isEmpty ? "x" : option.defaultText)
      }
      // Some are about connections alone, and some about datagrams.
      let isUnderstood = ["1", "1/udp"].contains { listen in
        (try? ForwardParser.parse([listen, "a:1"] + words)) != nil
      }
      #expect(isUnderstood, "\(option.name)")
    }
  }

  @Test("An option of use to no tunnel that it is for is refused; one of use to some is not")
  func strangers() throws {
    #expect(
      throws: UsageError.value(
        option: "--half-closed-idle", .transport(.needsConnections(key: "half-closed-idle")))
    ) { try ForwardParser.parse(["53/udp", "a:1", "--half-closed-idle", "1s"]) }
    #expect(throws: UsageError.text(.transport(.unixTarget("unix:/x")))) {
      try ForwardParser.parse(["53/udp", "unix:/x"])
    }
    #expect(
      try tunnels("--half-closed-idle 1s -L 1=a:1 -L 1/udp=udp://a:1").count == 2)
  }

  @Test(
    "Wrong usage says what, where and what would be right",
    arguments: [
      ("", "LISTEN is missing; write LISTEN TARGET, as in \"adit forward 8080 web.example:80\""),
      (
        "8080",
        "TARGET is missing; write it behind \"8080\", as in \"adit forward 8080 web.example:80\""
      ),
      (
        "8080 a:1 b:2",
        "\"b:2\" is one word too many; LISTEN is \"8080\" and TARGET is \"a:1\"; several targets"
          + " are joined by commas"
      ),
      ("-L 1=a:1 2", "\"2\" is one word too many; write -L LISTEN=TARGET for each tunnel"),
      ("--config f 1", "\"1\" is one word too many; the tunnels are those of f"),
      ("--config f -L 1=a:1", "-L stands beside --config; one of the two is enough"),
      ("--config f --config g", "--config stands beside --config; one of the two is enough"),
      (
        "--config f --idle 1s", "--idle belongs to a tunnel; write it in the file, in [[tunnel]]"
      ),
      ("1 a:1 --idel 3s", "--idel is not an option; did you mean --idle?"),
      ("1 a:1 --drain 3s", "--drain is not an option; did you mean --drain-timeout?"),
      ("1 a:1 --wibble-wobble", "--wibble-wobble is not an option; leave it out"),
      ("1 a:1 -x", "-x is not an option; leave it out"),
      ("1 a:1 --idle", "--idle has no value; write --idle DURATION"),
      ("-L", "-L has no value; write -L LISTEN=TARGET"),
      ("1 a:1 --json=yes", "--json takes no value and has \"yes\"; write --json alone"),
      (
        "1 a:1 --no-half-close=1",
        "--no-half-close takes no value and has \"1\"; write --no-half-close alone"
      ),
      (
        "1 a:1 --idle 5",
        "--idle: \"5\" is not a duration; write a number with a unit (ms, s, m, h), as in \"5m\""
      ),
      (
        "1 a:1 --log xml",
        "--log: \"xml\" is not one of the choices; write \"auto\", \"text\", \"json\" or \"off\""
      ),
      (
        "8080x a:1",
        "listen \"8080x\": column 5: 'x' is not part of a port; a port is a number from 0 to 65535"
      ),
      (
        "-L 1=a",
        "target \"a\": column 2: the port is missing; a port is a number from 1 to 65535"
      ),
      (
        "-L 1",
        "-L \"1\": column 2: there is no '=' between LISTEN and TARGET; write LISTEN=TARGET, as in"
          + " \"8080=web.example:80\""
      ),
      (
        "-L 1=a:1 -L 1=b:1",
        "\"127.0.0.1:1\" is listened at twice; give each tunnel an address or port of its own"
      ),
      (
        "--name x -L 1=a:1 -L 2=b:1",
        "several tunnels are called \"x\"; write --name behind the -L that it is for"
      ),
    ])
  func wrongUsage(line: String, sentence: String) throws {
    let error = try #require(throws: UsageError.self) { try parse(line) }
    #expect(error.description == sentence)
  }

  @Test("Two tunnels may both take a free port")
  func freePorts() throws {
    #expect(try tunnels("-L 0=a:1 -L 0=b:1").count == 2)
  }
}
