import Kernel
import Testing

@testable import Configuration

/// A text and the value it reads as.
struct ListenCase: CustomTestStringConvertible {
  let text: String
  let value: ListenSpecification
  var testDescription: String { text }

  init(_ text: String, _ value: ListenSpecification) {
    self.text = text
    self.value = value
  }

  static let accepted: [ListenCase] = [
    ListenCase("8080", .ip(.address(.loopback4), port: 8080)),
    ListenCase("0", .ip(.address(.loopback4), port: 0)),
    ListenCase("65535", .ip(.address(.loopback4), port: 65535)),
    ListenCase("tcp://8080", .ip(.address(.loopback4), port: 8080)),
    ListenCase("TCP://8080", .ip(.address(.loopback4), port: 8080)),
    ListenCase("8080/tcp", .ip(.address(.loopback4), port: 8080)),
    ListenCase("any:8080/TCP", .ip(.any, port: 8080)),
    ListenCase("any:8080", .ip(.any, port: 8080)),
    ListenCase("53/udp", .udp(.address(.loopback4), port: 53)),
    ListenCase("udp://any:53", .udp(.any, port: 53)),
    ListenCase("udp://[::1]:53/udp", .udp(.address(.loopback6), port: 53)),
    ListenCase("localhost:0/UDP", .udp(.localhost, port: 0)),
    ListenCase("*:8080", .ip(.any, port: 8080)),
    ListenCase("tcp://any:0", .ip(.any, port: 0)),
    ListenCase("ftp://21", .ftp(.address(.loopback4), port: 21)),
    ListenCase("any:21/FTP", .ftp(.any, port: 21)),
    ListenCase("ftp://[::1]:21", .ftp(.address(.loopback6), port: 21)),
    ListenCase("localhost:22", .ip(.localhost, port: 22)),
    ListenCase("LocalHost:22", .ip(.localhost, port: 22)),
    ListenCase("192.0.2.7:80", .ip(.address(.v4(0xc000_0207)), port: 80)),
    ListenCase("0.0.0.0:80", .ip(.address(.any4), port: 80)),
    ListenCase("[::]:80", .ip(.address(.any6), port: 80)),
    ListenCase("[::1]:80", .ip(.address(.loopback6), port: 80)),
    ListenCase(
      "[2001:db8::1]:80", .ip(.address(.v6(0x2001_0db8_0000_0000, 1, scope: 0)), port: 80)),
    ListenCase("[fe80::1%1]:80", .ip(.address(.v6(0xfe80 << 48, 1, scope: 1)), port: 80)),
    ListenCase("[fe80::1%lo]:80", .ip(.address(.v6(0xfe80 << 48, 1, scope: 1)), port: 80)),
    ListenCase("[::ffff:192.0.2.7]:80", .ip(.address(.v4(0xc000_0207)), port: 80)),
    ListenCase("unix:/run/x.sock", .unix(.path("/run/x.sock"))),
    ListenCase("unix:x:y,z=1", .unix(.path("x:y,z=1"))),
    ListenCase("unix:@adit", .unix(.abstract("adit"))),
    ListenCase("unix:./@adit", .unix(.path("./@adit"))),
    ListenCase("fd:web", .inherited("web")),
    ListenCase("fd:web-1.socket", .inherited("web-1.socket")),
  ]
}

/// A text and the whole sentence that refuses it.
struct RefusedCase: CustomTestStringConvertible {
  let text: String
  let sentence: String
  var testDescription: String { text }

  init(_ text: String, _ sentence: String) {
    self.text = text
    self.sentence = sentence
  }

  static let listen: [RefusedCase] = [
    RefusedCase(
      "8080x",
      "listen \"8080x\": column 5: 'x' is not part of a port; a port is a number from 0 to 65535"),
    RefusedCase(
      "any:", "listen \"any:\": column 5: the port is missing; a port is a number from 0 to 65535"),
    RefusedCase(
      "any", "listen \"any\": column 4: the port is missing; a port is a number from 0 to 65535"),
    RefusedCase(
      "[::1]",
      "listen \"[::1]\": column 6: the port is missing; a port is a number from 0 to 65535"),
    RefusedCase(
      "65536",
      "listen \"65536\": column 1: \"65536\" is no port; a port is a number from 0 to 65535"),
    RefusedCase(
      "any:99999999999999999999",
      "listen \"any:99999999999999999999\": column 5: \"99999999999999999999\" is no port; "
        + "a port is a number from 0 to 65535"),
    RefusedCase("0080", "listen \"0080\": column 1: \"0080\" begins with 0; write 80"),
    RefusedCase(
      "8080-",
      "listen \"8080-\": column 5: '-' is not part of a port; a port is a number from 0 to 65535"),
    RefusedCase(
      "٨٠", "listen \"٨٠\": column 1: '٨' is not part of a port; a port is a number from 0 to 65535"
    ),
    RefusedCase(
      " 80",
      "listen \" 80\": column 1: ' ' is not part of a port; a port is a number from 0 to 65535"),
    RefusedCase(
      "8000-8100",
      "listen \"8000-8100\": column 1: a range of ports is not in this version of Adit yet; "
        + "write one port"),
    RefusedCase(
      "tcp://53/udp",
      "listen \"tcp://53/udp\": column 9: the scheme in front says something else; "
        + "write one of them"),
    RefusedCase(
      "ftps://990",
      "listen \"ftps://990\": column 1: FTP that begins with TLS is not in this version of Adit "
        + "yet; write ftp://, or tcp:// to carry its bytes unread"),
    RefusedCase(
      "http://80",
      "listen \"http://80\": column 1: \"http\" is not a scheme that is known here; "
        + "write tcp://, udp:// or no scheme"),
    RefusedCase(
      "80/sctp",
      "listen \"80/sctp\": column 4: \"sctp\" is not a protocol that is known here; "
        + "write PORT/tcp, PORT/udp or the port alone"),
    RefusedCase(
      ":8080",
      "listen \":8080\": column 1: the address in front of the port is missing; "
        + "write the port alone for this machine only, or any:PORT for every address"),
    RefusedCase(
      "web.example:80",
      "listen \"web.example:80\": column 1: \"web.example\" is not an address of this machine; "
        + "write an IP address, localhost, or any for every address"),
    RefusedCase(
      "10.0.0.256:80",
      "listen \"10.0.0.256:80\": column 1: \"10.0.0.256\" is not an IPv4 address; "
        + "write four numbers from 0 to 255, as in \"192.0.2.1\""),
    RefusedCase(
      "::1:80",
      "listen \"::1:80\": column 1: an IPv6 address stands in brackets; "
        + "write [ADDRESS]:PORT, as in \"[2001:db8::1]:80\""),
    RefusedCase(
      "[::1:80",
      "listen \"[::1:80\": column 1: the bracket is not closed; "
        + "write [ADDRESS]:PORT, as in \"[2001:db8::1]:80\""),
    RefusedCase(
      "[::1]80",
      "listen \"[::1]80\": column 6: '8' follows the bracket; "
        + "a colon and the port follow, as in \"[2001:db8::1]:80\""),
    RefusedCase(
      "[1.2.3.4]:80",
      "listen \"[1.2.3.4]:80\": column 2: \"1.2.3.4\" is not an IPv6 address; "
        + "write [ADDRESS]:PORT, as in \"[2001:db8::1]:80\""),
    RefusedCase(
      "[fe80::1%no-such-if0]:80",
      "listen \"[fe80::1%no-such-if0]:80\": column 10: "
        + "this machine has no interface \"no-such-if0\"; "
        + "write the name of one it has, as in \"[fe80::1%eth0]:80\""),
    RefusedCase(
      "", "listen \"\": column 1: there is nothing; write [ADDRESS:]PORT, unix:PATH or fd:NAME"),
    RefusedCase(
      "unix:",
      "listen \"unix:\": column 6: the name of the unix socket is missing; "
        + "write unix:PATH, or unix:@NAME for an abstract name"),
    RefusedCase(
      "unix:@",
      "listen \"unix:@\": column 7: the name of the unix socket is missing; "
        + "write unix:PATH, or unix:@NAME for an abstract name"),
    RefusedCase(
      "unix:a\0b",
      "listen \"unix:a\\u0000b\": column 7: a zero byte cannot stand in the name of a unix socket; "
        + "write unix:PATH, or unix:@NAME for an abstract name"),
    RefusedCase(
      "unix:" + String(repeating: "p", count: 108),
      "listen \"unix:" + String(repeating: "p", count: 55) + "…\": column 6: "
        + "the name of the unix socket has 108 bytes; the kernel takes at most 107"),
    RefusedCase(
      "fd:",
      "listen \"fd:\": column 4: the name of the inherited socket is missing; "
        + "write fd:NAME with the FileDescriptorName= of the socket unit"),
    RefusedCase(
      "fd:a b",
      "listen \"fd:a b\": column 5: ' ' is not part of an inherited socket's name; "
        + "such a name is at most 255 printable ASCII characters without space or colon"),
  ]
}

@Suite struct ListenGrammarTests {
  @Test("LISTEN reads as what it says", arguments: ListenCase.accepted)
  func reads(_ example: ListenCase) throws {
    #expect(try ListenSpecification(example.text) == example.value)
  }

  @Test("What LISTEN reads prints as text that reads the same", arguments: ListenCase.accepted)
  func printsBack(_ example: ListenCase) throws {
    let printed = try ListenSpecification(example.text).description
    #expect(try ListenSpecification(printed) == example.value)
  }

  @Test("LISTEN refuses with what, where and what would be right", arguments: RefusedCase.listen)
  func refuses(_ example: RefusedCase) {
    let error = #expect(throws: ConfigurationError.self) {
      try ListenSpecification(example.text)
    }
    #expect(error?.description == example.sentence)
  }

  @Test("A path or an abstract name of 107 bytes is the longest")
  func longestUnixName() throws {
    let name = String(repeating: "p", count: 107)
    #expect(try ListenSpecification("unix:" + name) == .unix(.path(name)))
    #expect(try ListenSpecification("unix:@" + name) == .unix(.abstract(name)))
    #expect(throws: ConfigurationError.self) { try ListenSpecification("unix:@p" + name) }
  }

  @Test("any and localhost bind both families, an address itself")
  func addressesToBind() {
    #expect(BindAddress.any.addresses == [.any4, .any6])
    #expect(BindAddress.localhost.addresses == [.loopback4, .loopback6])
    #expect(BindAddress.address(.any6).addresses == [.any6])
    #expect(BindAddress.localhost.isLoopback)
    #expect(!BindAddress.any.isLoopback)
  }

  @Test("A text longer than the limit is refused unread")
  func hugeText() {
    let error = #expect(throws: ConfigurationError.self) {
      try ListenSpecification(String(repeating: "9", count: GrammarText.limit + 1))
    }
    #expect(error?.code == "text-long")
  }
}
