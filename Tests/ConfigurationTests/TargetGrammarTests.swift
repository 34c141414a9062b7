import Kernel
import Testing

@testable import Configuration

/// A text and the targets it reads as.
struct TargetCase: CustomTestStringConvertible {
  let text: String
  let values: [TargetSpecification]
  var testDescription: String { text }

  init(_ text: String, _ values: TargetSpecification...) {
    self.text = text
    self.values = values
  }

  static func accepted() throws -> [TargetCase] {
    let long = Array(repeating: String(repeating: "a", count: 49), count: 5).joined(separator: ".")
    let longest = long + ".abc"  // 253 bytes
    return [
      TargetCase("web.example:80", .host(try HostName("web.example"), port: 80)),
      TargetCase("WEB.example:80", .host(try HostName("web.example"), port: 80)),
      TargetCase("web.example.:80", .host(try HostName("web.example."), port: 80)),
      TargetCase("_sip._tcp.example:5060", .host(try HostName("_sip._tcp.example"), port: 5060)),
      TargetCase("localhost:80", .host(try HostName("localhost"), port: 80)),
      TargetCase("tcp://localhost:80", .host(try HostName("localhost"), port: 80)),
      TargetCase("4you:80", .host(try HostName("4you"), port: 80)),
      TargetCase("1.2.3.4.example:80", .host(try HostName("1.2.3.4.example"), port: 80)),
      TargetCase("\(longest):80", .host(try HostName(longest), port: 80)),
      TargetCase("\(longest).:80", .host(try HostName(longest + "."), port: 80)),
      TargetCase("10.0.0.1:65535", .address(.v4(0x0a00_0001), port: 65535)),
      TargetCase("[::1]:1", .address(.loopback6, port: 1)),
      TargetCase("[fe80::1%1]:80", .address(.v6(0xfe80 << 48, 1, scope: 1), port: 80)),
      TargetCase("unix:/run/x.sock", .unix(.path("/run/x.sock"))),
      TargetCase("unix:@x", .unix(.abstract("x"))),
      TargetCase(
        "10.0.0.1:80,[::1]:81,unix:/x,a:82", .address(.v4(0x0a00_0001), port: 80),
        .address(.loopback6, port: 81), .unix(.path("/x")), .host(try HostName("a"), port: 82)),
    ]
  }
}

extension RefusedCase {
  private static let portRule = "a port is a number from 1 to 65535"

  static let target: [RefusedCase] = [
    RefusedCase(
      "80",
      "target \"80\": column 1: the address in front of the port is missing; "
        + "write HOST:PORT, as in \"localhost:80\""),
    RefusedCase("web", "target \"web\": column 4: the port is missing; \(portRule)"),
    RefusedCase("web:", "target \"web:\": column 5: the port is missing; \(portRule)"),
    RefusedCase("web:0", "target \"web:0\": column 5: nothing can connect to port 0; \(portRule)"),
    RefusedCase(
      "web:80/", "target \"web:80/\": column 7: '/' is not part of a port; \(portRule)"),
    RefusedCase(
      "a:1,b:2x", "target \"a:1,b:2x\": column 8: 'x' is not part of a port; \(portRule)"),
    RefusedCase(
      "a:1,,b:2",
      "target \"a:1,,b:2\": column 5: a target is missing; write HOST:PORT between commas"),
    RefusedCase(
      "a:1,", "target \"a:1,\": column 5: a target is missing; write HOST:PORT between commas"),
    RefusedCase(
      "", "target \"\": column 1: there is nothing; write HOST:PORT[,HOST:PORT...] or unix:PATH"),
    RefusedCase(
      "tls://web:443",
      "target \"tls://web:443\": column 1: TLS is not in this version of Adit yet; "
        + "write tcp:// or no scheme"),
    RefusedCase(
      "bücher.example:80",
      "target \"bücher.example:80\": column 2: 'ü' is an international character, "
        + "and those are not translated here; "
        + "write the name's ASCII form, as in \"xn--bcher-kva.example\""),
    RefusedCase(
      "we b:80",
      "target \"we b:80\": column 3: ' ' is not part of a host name; "
        + "a host name has letters, digits, hyphens and dots"),
    RefusedCase(
      "*:80",
      "target \"*:80\": column 1: '*' is not part of a host name; "
        + "a host name has letters, digits, hyphens and dots"),
    RefusedCase(
      "a..b:80",
      "target \"a..b:80\": column 3: nothing stands in front of the dot; "
        + "write a name as in \"web.example\""),
    RefusedCase(
      ".:80",
      "target \".:80\": column 1: nothing stands in front of the dot; "
        + "write a name as in \"web.example\""),
    RefusedCase(
      "a.-b:80",
      "target \"a.-b:80\": column 3: \"-b\" begins or ends with a hyphen; "
        + "hyphens stand between letters or digits"),
    RefusedCase(
      "10.0.0:80",
      "target \"10.0.0:80\": column 1: \"10.0.0\" is not an IPv4 address; "
        + "write four numbers from 0 to 255, as in \"192.0.2.1\""),
    RefusedCase(
      "0.0.0.0:80",
      "target \"0.0.0.0:80\": column 1: nothing can connect to \"0.0.0.0\"; "
        + "write the address of one machine"),
    RefusedCase(
      "[::]:80",
      "target \"[::]:80\": column 2: nothing can connect to \"::\"; "
        + "write the address of one machine"),
    RefusedCase(
      String(repeating: "a", count: 64) + ":80",
      "target \"" + String(repeating: "a", count: 60) + "…\": column 1: \""
        + String(repeating: "a", count: 60) + "…\" has 64 bytes; "
        + "a name between dots has at most 63"),
    RefusedCase(
      String(repeating: "a.", count: 127) + "b:80",
      "target \"" + String(repeating: "a.", count: 30) + "…\": column 1: "
        + "the host name has 255 bytes; a host name has at most 253"),
  ]

  static let forward: [RefusedCase] = [
    RefusedCase(
      "8080",
      "-L \"8080\": column 5: there is no '=' between LISTEN and TARGET; "
        + "write LISTEN=TARGET, as in \"8080=web.example:80\""),
    RefusedCase(
      "=a:80", "listen \"\": column 1: there is nothing; write [ADDRESS:]PORT, unix:PATH or fd:NAME"
    ),
    RefusedCase(
      "8080=",
      "target \"\": column 1: there is nothing; write HOST:PORT[,HOST:PORT...] or unix:PATH"),
  ]
}

@Suite struct TargetGrammarTests {
  @Test("TARGET reads as what it says", arguments: try TargetCase.accepted())
  func reads(_ example: TargetCase) throws {
    #expect(try TargetSpecification.list(example.text) == example.values)
  }

  @Test(
    "What TARGET reads prints as text that reads the same", arguments: try TargetCase.accepted())
  func printsBack(_ example: TargetCase) throws {
    let values = try TargetSpecification.list(example.text)
    #expect(try values.map { try TargetSpecification($0.description) } == example.values)
    let printed = values.map(\.description).joined(separator: ",")
    #expect(try TargetSpecification.list(printed) == example.values)
  }

  @Test("TARGET refuses with what, where and what would be right", arguments: RefusedCase.target)
  func refuses(_ example: RefusedCase) {
    let error = #expect(throws: ConfigurationError.self) {
      try TargetSpecification.list(example.text)
    }
    #expect(error?.description == example.sentence)
  }

  @Test("One target of a unix path takes no comma, which separates targets elsewhere")
  func comma() {
    let error = #expect(throws: ConfigurationError.self) { try TargetSpecification("unix:/a,b") }
    #expect(
      error?.description == "target \"unix:/a,b\": column 8: a comma separates targets and "
        + "cannot stand in a path; use a path without one")
  }

  @Test("-L splits at the first = outside brackets")
  func forward() throws {
    let simple = try ForwardSpecification("any:8080=a:80,b:81")
    #expect(simple.listen == .ip(.any, port: 8080))
    #expect(simple.targets.map(\.description) == ["a:80", "b:81"])
    let unix = try ForwardSpecification("unix:/a=unix:/b=c")
    #expect(unix.listen == .unix(.path("/a")))
    #expect(unix.targets == [.unix(.path("/b=c"))])
  }

  @Test("An interface's name may hold the = at which -L would split")
  func forwardBrackets() {
    let error = #expect(throws: ConfigurationError.self) {
      try ForwardSpecification("[fe80::1%a=b]:80=c:80")
    }
    #expect(error?.code == "address-interface-unknown")
  }

  @Test("-L refuses with what, where and what would be right", arguments: RefusedCase.forward)
  func refusesForward(_ example: RefusedCase) {
    let error = #expect(throws: ConfigurationError.self) { try ForwardSpecification(example.text) }
    #expect(error?.description == example.sentence)
  }
}
