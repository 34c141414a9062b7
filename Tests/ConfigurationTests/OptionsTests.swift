import Testing

@testable import Configuration

@Suite struct OptionsTests {
  @Test("The defaults are those of the manual")
  func defaults() {
    let tunnel = Dictionary(
      uniqueKeysWithValues: TunnelConfiguration.keys.map { ($0.name, $0.defaultText) })
    #expect(
      tunnel == [
        "name": "", "listen": "", "target": "", "balance": "first", "start": "manual",
        "connect-timeout": "10s", "half-closed-idle": "5m", "idle": "0s", "drain-timeout": "30s",
        "reset-drain": "5s", "user-timeout": "0s", "half-close": "true", "no-delay": "true",
        "backlog": "4096", "keepalive": "true", "keepalive.idle": "1m",
        "keepalive.interval": "10s", "keepalive.count": "6", "limits.flows": "0",
        "receive-buffer": "4194304", "limits.flows-per-source": "0",
        "ftp.tls": "refuse",
        "ftp.passive-ports": "any", "ftp.source-port": "0",
      ])
    let process = Dictionary(
      uniqueKeysWithValues: ProcessConfiguration.keys.map { ($0.name, $0.defaultText) })
    #expect(
      process == [
        "threads": "0", "log": "auto", "log-level": "info", "drain-timeout": "30s",
        "buffers": "4096", "pipes": "1024",
      ])
  }

  @Test("Each option has a name of its own and a sentence")
  func names() {
    let words = TunnelConfiguration.keys.flatMap { key in
      [key.optionName] + (key.negatedOptionName.map { [$0] } ?? [])
    }
    #expect(Set(words).count == words.count)
    let sentences =
      TunnelConfiguration.keys.map(\.documentation)
      + ProcessConfiguration.keys.map(\.documentation)
    for sentence in sentences { #expect(sentence.hasSuffix(".") && sentence.count <= 100) }
    for key in TunnelConfiguration.keys { #expect(LaterKey(key.name) == nil) }
  }

  @Test(
    "A default applies to the default and changes nothing",
    arguments: TunnelOptions.keys.map(\.name))
  func defaultsApply(_ name: String) throws {
    let key = try #require(TunnelOptions.key(name))
    var tunnel = TunnelConfiguration()
    if !key.defaultText.isEmpty {
      try TunnelOptions.apply(key: name, value: key.defaultText, to: &tunnel)
    }
    #expect(tunnel == TunnelConfiguration())
  }

  @Test("Options are keys with dashes")
  func dashes() throws {
    var tunnel = TunnelConfiguration()
    try TunnelOptions.apply(key: "half-closed-idle", value: "1m30s", to: &tunnel)
    try TunnelOptions.apply(key: "keepalive-idle", value: "20s", to: &tunnel)
    try TunnelOptions.apply(key: "keepalive.count", value: "2", to: &tunnel)
    try TunnelOptions.apply(key: "limits-flows", value: "9", to: &tunnel)
    try TunnelOptions.apply(key: "half-close", value: "false", to: &tunnel)
    #expect(tunnel.halfClosedIdle == .seconds(90))
    #expect(tunnel.keepalive?.idle == .seconds(20))
    #expect(tunnel.keepalive?.count == 2)
    #expect(tunnel.limits.flows == 9)
    #expect(!tunnel.halfClose)
  }

  @Test("keepalive is turned off as a whole, and on by each of its parts")
  func keepalive() throws {
    var tunnel = TunnelConfiguration()
    try TunnelOptions.apply(key: "keepalive", value: "false", to: &tunnel)
    #expect(tunnel.keepalive == nil)
    try TunnelOptions.apply(key: "keepalive-count", value: "3", to: &tunnel)
    #expect(tunnel.keepalive?.count == 3)
    try TunnelOptions.apply(key: "keepalive", value: "true", to: &tunnel)
    #expect(tunnel.keepalive?.count == 3)
  }

  @Test("A list is replaced as a whole, and kept when the new one does not read")
  func lists() throws {
    var tunnel = TunnelConfiguration()
    try TunnelOptions.apply(key: "target", value: "a:1,b:2", to: &tunnel)
    try TunnelOptions.apply(key: "target", value: "c:3", to: &tunnel)
    #expect(tunnel.targets.map(\.description) == ["c:3"])
    #expect(throws: ConfigurationError.self) {
      try TunnelOptions.apply(key: "target", value: "d", to: &tunnel)
    }
    #expect(tunnel.targets.map(\.description) == ["c:3"])
  }

  @Test("Booleans have a word for no, unless they begin with it")
  func negated() {
    #expect(TunnelOptions.key("half-close")?.negatedOptionName == "no-half-close")
    #expect(TunnelOptions.key("keepalive")?.negatedOptionName == "no-keepalive")
    #expect(TunnelOptions.key("no-delay")?.negatedOptionName == nil)
    #expect(TunnelOptions.key("idle")?.negatedOptionName == nil)
  }

  static let refused: [(String, String, String)] = [
    (
      "half-closed-idle", "5",
      "half-closed-idle: \"5\" is not a duration; "
        + "write a number with a unit (ms, s, m, h), as in \"5m\""
    ),
    (
      "backlog", "many",
      "backlog: \"many\" is not a whole number; write digits alone, as in \"100\""
    ),
    (
      "backlog", "99999999999999999999",
      "backlog: \"99999999999999999999\" is out of range; write a number from 1 to 65535"
    ),
    ("half-close", "no", "half-close: \"no\" is neither true nor false; write true or false"),
    (
      "log", "loud",
      "log: \"loud\" is not one of the choices; write \"auto\", \"text\", \"json\" or \"off\""
    ),
    (
      "flows", "5",
      "\"flows\" is not a key that is known here; did you mean \"limits-flows\"?"
    ),
    ("thread", "5", "\"thread\" is not a key that is known here; did you mean \"threads\"?"),
    (
      "tls-certificate", "x",
      "\"tls\" (TLS on the listening side) is not in this version of Adit yet; leave it out"
    ),
    ("", "x", "\"\" is not a key that is known here; leave it out"),
  ]

  @Test("A wrong option says what, where and what would be right", arguments: refused)
  func refuses(_ key: String, _ value: String, _ sentence: String) {
    var tunnel = TunnelConfiguration()
    var process = ProcessConfiguration()
    let error = #expect(throws: ConfigurationError.self) {
      try ForwardOptions.apply(key: key, value: value, to: &tunnel, &process)
    }
    #expect(error?.description == sentence)
    #expect(tunnel == TunnelConfiguration())
    #expect(process == ProcessConfiguration())
  }

  @Test("An option that tunnel and process both know is set in both")
  func both() throws {
    var tunnel = TunnelConfiguration()
    var process = ProcessConfiguration()
    try ForwardOptions.apply(key: "drain-timeout", value: "3s", to: &tunnel, &process)
    try ForwardOptions.apply(key: "threads", value: "3", to: &tunnel, &process)
    #expect(tunnel.drainTimeout == .seconds(3))
    #expect(process.drainTimeout == .seconds(3))
    #expect(process.threads == 3)
  }

  @Test("The nearest word is one with a third of its letters wrong or fewer")
  func nearestWord() {
    let words = ["idle", "half-close", "limits.flows", "backlog"]
    #expect(nearest(to: "idel", in: words) == "idle")
    #expect(nearest(to: "Idle", in: words) == "idle")
    #expect(nearest(to: "half_close", in: words) == "half-close")
    #expect(nearest(to: "back-log", in: words) == "backlog")
    #expect(nearest(to: "flows", in: words) == "limits.flows")
    #expect(nearest(to: "zzz", in: words) == nil)
    #expect(nearest(to: String(repeating: "idle", count: 1000), in: words) == nil)
  }
}
