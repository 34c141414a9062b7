extension TunnelConfiguration: KeyedConfiguration {
  /// A tunnel without name, listener or target, and the default of everything else.
  public static let defaults = TunnelConfiguration()

  /// All keys of a tunnel, in the order of the manual.
  public static let keys: [TunnelKey] =
    identity + durations + sockets + keepalives + limited
    + gateway

  private static let identity: [TunnelKey] = [
    .name("name", \.name, "The name people and programs call the tunnel by; unique in a file."),
    .list(
      "listen", .listens, \.listen,
      "Where to listen: [ADDRESS:]PORT, PORT/udp, PORT/ftp, unix:PATH or fd:NAME; one or several."
    ) { (text) throws(ConfigurationError) in [try ListenSpecification(text)] },
    .list(
      "target", .targets, \.targets,
      "Where to carry to: HOST:PORT[,HOST:PORT...] or unix:PATH; one or several."
    ) { (text) throws(ConfigurationError) in try TargetSpecification.list(text) },
    .choice(
      "balance", \.balance, later: ["round-robin", "least", "random-two", "source"],
      "How a target is chosen: the first that can be reached, in the order written."),
    .choice("start", \.start, "When the daemon starts the tunnel: when told to, or with itself."),
  ]

  private static let durations: [TunnelKey] = [
    .duration(
      "connect-timeout", \.connectTimeout, from: .milliseconds(1), to: .seconds(3600),
      "The most that connecting a flow takes, over all its targets."),
    .duration(
      "half-closed-idle", \.halfClosedIdle,
      "The most silence on a flow of which one side has ended; 0s for no limit."),
    .duration(
      "idle", \.idle, to: DurationText.limit,
      "The most silence on a flow with both sides open; 0s: no limit for TCP, 60s for UDP."),
    .duration(
      "drain-timeout", \.drainTimeout,
      "For the daemon: the most that flows go on when their tunnel ends; adit forward lets them."),
    .duration(
      "reset-drain", \.resetDrain, to: .seconds(3600),
      "The most silence while received bytes are delivered before a reset is passed on."),
    .duration(
      "user-timeout", \.userTimeout,
      "The most that sent bytes go unacknowledged (TCP_USER_TIMEOUT); 0s: the kernel's limit."),
  ]

  private static let sockets: [TunnelKey] = [
    .boolean(
      "half-close", \.halfClose,
      "Whether the end of one direction leaves the other open; if not, it ends both."),
    .boolean("no-delay", \.noDelay, "Whether small segments are sent at once (TCP_NODELAY)."),
    .integer(
      "backlog", \.backlog, from: 1, to: 65_535,
      "Connections that the kernel holds until they are accepted."),
    .integer(
      "receive-buffer", \.receiveBuffer, from: 4096, to: 1_073_741_823,
      "For UDP: bytes that the kernel is asked to hold for each socket until they are taken."),
  ]

  private static let keepalives: [TunnelKey] = [
    .boolean(
      "keepalive", \.hasKeepalive,
      "Whether silent peers are probed; a file writes false, or the table with the three below."),
    .duration(
      "keepalive.idle", \.keepaliveOrDefault.idle, from: .seconds(1), to: .seconds(32_767),
      wholeSeconds: true, "Silence before the first probe, in whole seconds."),
    .duration(
      "keepalive.interval", \.keepaliveOrDefault.interval, from: .seconds(1),
      to: .seconds(32_767), wholeSeconds: true, "Time between probes, in whole seconds."),
    .integer(
      "keepalive.count", \.keepaliveOrDefault.count, from: 1, to: 127,
      "Probes without an answer before the connection counts as dead."),
  ]

  private static let limited: [TunnelKey] = [
    .integer(
      "limits.flows", \.limits.flows, from: 0, to: 10_000_000,
      "Flows at one time; 0 for as many as the process has descriptors for."),
    .integer(
      "limits.flows-per-source", \.limits.flowsPerSource, from: 0, to: 10_000_000,
      "For UDP: sessions of one source at one time, an IPv4 address or an IPv6 /64; 0: no limit."),
  ]
}

extension TunnelConfiguration {
  fileprivate static let gateway: [TunnelKey] = [
    .choice(
      "ftp.tls", \.ftp.tls, later: ["terminate"], as: { .ftpSecurity($0) },
      "For ftp://: AUTH is refused, or passed on, and then no data connection is relayed."),
    .portRange(
      "ftp.passive-ports", \.ftp.passivePorts, from: 1024,
      "For ftp://: the ports of passive data connections; any for the kernel's choice."),
    .integer(
      "ftp.source-port", \.ftp.sourcePort, from: 0, to: 65_535,
      "For ftp://: the port that active data connections come from; 0 for any, 20 is usual."),
  ]

  fileprivate var hasKeepalive: Bool {
    get { keepalive != nil }
    set { keepalive = newValue ? keepaliveOrDefault : nil }
  }

  /// The probes, those of the default where they are off; setting one turns them on.
  fileprivate var keepaliveOrDefault: KeepaliveSettings {
    get { keepalive ?? KeepaliveSettings() }
    set { keepalive = newValue }
  }
}
