import Testing

@testable import AditCommands

/// The words behind `adit`.
@Suite struct InvocationTests {
  @Test(
    "Verbs and help are understood",
    arguments: [
      ("--help", Invocation.help(nil)), ("help", .help(nil)), ("help check", .help(.check)),
      ("check --help", .help(.check)), ("forward a b c -h", .help(.forward)),
      ("--version", .version), ("forward --version", .version),
      ("check a.toml", .check(file: "a.toml", isJSON: false)),
      ("check --json a.toml", .check(file: "a.toml", isJSON: true)),
      ("check -- --json", .check(file: "--json", isJSON: false)),
      ("doctor", .doctor(isJSON: false)), ("doctor --json", .doctor(isJSON: true)),
    ])
  func understands(line: String, invocation: Invocation) throws {
    #expect(try Invocation(line.split(separator: " ").map { String($0) }) == invocation)
  }

  @Test(
    "Wrong words are named, with the verb where there is one, and exit with 2",
    arguments: [
      ("", "adit: a verb is missing; write one of forward, check, doctor, help"),
      ("forwrad", "adit: \"forwrad\" is not a verb; did you mean forward?"),
      ("status", "adit: \"status\" is not a verb; write one of forward, check, doctor, help"),
      ("help chekc", "adit help: \"chekc\" is not a verb; did you mean check?"),
      ("--verson", "adit: --verson is not an option; did you mean --version?"),
      (
        "check",
        "adit check: FILE is missing; write its name, as in \"adit check tunnels.toml\""
      ),
      ("check a b", "adit check: \"b\" is one word too many; one FILE is taken"),
      ("check a --jsno", "adit check: --jsno is not an option; did you mean --json?"),
      ("doctor x", "adit doctor: \"x\" is one word too many; no word is taken"),
    ])
  func objects(line: String, text: String) throws {
    let error = try #require(throws: CommandError.self) {
      try Invocation(line.split(separator: " ").map { String($0) })
    }
    #expect(error.reports.map(\.text) == [text])
    #expect(error.exitCode == .wrongUsage)
  }
}
