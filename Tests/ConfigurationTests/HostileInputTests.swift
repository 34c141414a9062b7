import TestSupport
import Testing

@testable import Configuration

/// Bytes that are meant to harm, and the code of the first problem they must end in.
struct HostileCase: CustomTestStringConvertible {
  let name: String
  let bytes: [UInt8]
  let code: String
  var testDescription: String { name }

  init(_ name: String, _ text: String, _ code: String) {
    self.init(name, Array(text.utf8), code)
  }

  init(_ name: String, _ bytes: [UInt8], _ code: String) {
    self.name = name
    self.bytes = bytes
    self.code = code
  }

  static let all: [HostileCase] = [
    HostileCase("nothing", "", "key-missing"),
    HostileCase("a zero byte", "a = \"\0\"", "toml-syntax"),
    HostileCase("an escaped zero byte", "[[tunnel]]\nname = \"\\u0000\"", "key-missing"),
    HostileCase("invalid UTF-8", [0x61, 0x3d, 0x22, 0xff, 0xfe, 0x22], "toml-syntax"),
    HostileCase("a lone surrogate", "a = \"\\ud800\"", "toml-syntax"),
    HostileCase("UTF-16", [0xff, 0xfe, 0x61, 0x00], "toml-syntax"),
    HostileCase("deep arrays", "a = " + String(repeating: "[", count: 100_000), "toml-syntax"),
    HostileCase(
      "deep tables", "a = " + String(repeating: "{b=", count: 100_000), "toml-syntax"),
    HostileCase(
      "a deep header", "[" + String(repeating: "a.", count: 500_000) + "a]", "key-deep"),
    HostileCase(
      "a deep key", String(repeating: "a.", count: 500_000) + "a = 1", "key-deep"),
    HostileCase(
      "a deep key of quoted parts", String(repeating: "\"a\" . ", count: 100_000) + "a = 1",
      "key-deep"),
    HostileCase(
      "a deep key behind a string that ends in five quotes",
      "x = {a=\"\"\"y\"\"\"\"\", " + String(repeating: "b.", count: 100_000) + "b=1}", "key-deep"),
    HostileCase(
      "a deep key behind an escaped quote",
      "x = {a=\"\\\\\", b=\"\\\"\", " + String(repeating: "b.", count: 100_000) + "b=1}",
      "key-deep"),
    HostileCase(
      "a file too large", [UInt8](repeating: 0x20, count: ConfigurationFile.byteLimit + 1),
      "file-large"),
    HostileCase(
      "too many tunnels", String(repeating: "[[tunnel]]\n", count: 1001), "key-missing"),
    // Bytes that broke an assertion inside toml++ 3.3.0.
    HostileCase("a header that ends in a dot", "[a.]", "toml-syntax"),
    HostileCase("a header of an open string", "[\"\"\"\n.\\ é", "toml-syntax"),
    HostileCase("an array closed as a table", "a = [}\n+", "toml-syntax"),
    HostileCase("a huge number", "a = 99999999999999999999", "toml-syntax"),
    HostileCase("a key with a control character", "\"\\u001b[31m\" = 1", "key-unknown"),
  ]
}

@Suite struct HostileInputTests {
  @Test("Hostile bytes end in a problem", arguments: HostileCase.all)
  func refused(_ example: HostileCase) {
    let error = #expect(throws: ConfigurationProblems.self) {
      try ConfigurationFile.parse(example.bytes, name: "t.toml")
    }
    #expect(error?.problems.first?.error.code == example.code)
  }

  @Test("Dots in strings and comments are no parts of a key")
  func dots() throws {
    let dots = String(repeating: ".", count: 100)
    let file = try ConfigurationFile.parse(
      """
      # \(dots)
      [[tunnel]]
      name = "a" # \(dots)
      listen = ['unix:\(dots)']
      target = [\"\"\"unix:/\(dots)\"\"\", '''unix:@\(dots)''', "unix:\(dots)"]
      """, name: "t.toml")
    #expect(file.tunnels.first?.targets.count == 3)
  }

  @Test("The deepest document that passes the limits is read")
  func deepest() {
    let key = String(repeating: "a.", count: ConfigurationFile.keyDepthLimit - 1) + "a"
    let levels = 31
    let text =
      "[\(key)]\n" + String(repeating: "\(key) = {", count: levels) + "\(key) = 1"
      + String(repeating: "}", count: levels)
    let error = #expect(throws: ConfigurationProblems.self) {
      try ConfigurationFile.parse(text, name: "t.toml")
    }
    #expect(error?.problems.map(\.error.code) == ["key-missing", "key-unknown"])
  }

  @Test("The place of a deep key is where it becomes too deep")
  func deepPlace() {
    let key = String(repeating: "a.", count: 16) + "a"
    let error = #expect(throws: ConfigurationProblems.self) {
      try ConfigurationFile.parse("\n\n[\(key)]", name: "t.toml")
    }
    #expect(
      error?.description
        == "t.toml:3:33: the key has too many parts; at most 16 are read")
  }

  @Test("More problems than the limit are counted and not told")
  func manyProblems() {
    let text = (0..<3000).map { "key\($0) = 1\n" }.joined()
    let error = #expect(throws: ConfigurationProblems.self) {
      try ConfigurationFile.parse(text, name: "t.toml")
    }
    #expect(error?.problems.count == ConfigurationProblems.limit)
    #expect(error?.omitted == 3001 - ConfigurationProblems.limit)
    #expect(error?.description.hasSuffix("and 2001 more") == true)
  }

  @Test("More tunnels, or more values of one key, than the limit are refused")
  func limits() {
    let tunnels = (0...1000).map { "[[tunnel]]\nname='t\($0)'\nlisten='0'\ntarget='a:1'\n" }
    let many = #expect(throws: ConfigurationProblems.self) {
      try ConfigurationFile.parse(tunnels.joined(), name: "t.toml")
    }
    #expect(
      many?.description
        == "t.toml:4001:1: tunnel: there are 1001 tunnels; one file holds at most 1000")
    let list = Array(repeating: "'0'", count: 257).joined(separator: ",")
    let long = #expect(throws: ConfigurationProblems.self) {
      try ConfigurationFile.parse(
        "[[tunnel]]\nname='a'\nlisten=[\(list)]\ntarget='a:1'", name: "t.toml")
    }
    #expect(
      long?.description
        == "t.toml:3:8: tunnel.listen: there are 257 values; one key takes at most 256")
  }

  @Test("Messages carry no control characters of the input")
  func escapes() {
    let error = #expect(throws: ConfigurationError.self) {
      try ListenSpecification("\u{1b}[31m\u{202e}80\r\n")
    }
    let sentence = error?.description ?? ""
    #expect(sentence.contains("\\u001B[31m\\u202E80\\r\\n"))
    #expect(sentence.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x202e })
  }

  @Test("Random bytes never end the program", arguments: seeds)
  func noise(_ seed: UInt64) {
    var random = Seeded(seed)
    let pieces = [
      "[", "]", "[[tunnel]]\n", "{", "}", "=", "\"", "'", "\"\"\"", "\n", ",", ".", "a", "name",
      "listen", "target", "0", "-", "1979-05-27", "#", "\\", "\u{0}", "é", "true", "inf", " ",
    ]
    for _ in 0..<300 {
      let count = Int.random(in: 0..<40, using: &random)
      let text = (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
      _ = try? ConfigurationFile.parse(text, name: "t.toml")
      _ = try? ListenSpecification(text)
      _ = try? TargetSpecification.list(text)
      _ = try? ForwardSpecification(text)
    }
  }
}
