internal import Relay

extension Diagnosis {
  /// The oldest kernel that is served.
  static let oldestKernel = (major: 5, minor: 10)
  /// Below this the descriptor limit is worth a warning.
  static let fewDescriptors = 4096
  /// What `listen` asks for.
  static let backlog = 4096
  /// Local ports below which connections to one target run out early.
  static let fewPorts = 16_384

  static func kernel(_ facts: MachineFacts) -> Finding {
    guard let release = facts.kernelRelease else {
      return Finding(
        verdict: .warn, what: "kernel", value: "unknown",
        meaning: "/proc is not readable, and much of this report with it; mount it")
    }
    let numbers = release.split { !$0.isNumber }.prefix(2).compactMap { Int($0) }
    let isServed =
      numbers.count == 2 && (numbers[0], numbers[1]) >= (oldestKernel.major, oldestKernel.minor)
    return Finding(
      verdict: isServed ? .ok : .missing, what: "kernel", value: release,
      meaning: isServed
        ? "all that tunnels need is there"
        : "5.10 is the oldest that is tested; install a newer one")
  }

  static func descriptors(_ facts: MachineFacts) -> Finding {
    guard let soft = facts.descriptorsSoft, let hard = facts.descriptorsHard else {
      return Finding(
        verdict: .warn, what: "open files", value: "unknown",
        meaning: "the limit decides how many flows there can be at once")
    }
    let flows = RelayLimits(descriptorLimit: hard, openDescriptors: 10, loops: 1, listeners: 1)
      .flows
    let advice =
      hard < fewDescriptors
      ? "; raise the hard limit (LimitNOFILE= in a unit, ulimit -Hn in a shell)" : ""
    return Finding(
      verdict: hard < fewDescriptors ? .warn : .ok, what: "open files",
      value: "soft \(soft), hard \(hard)",
      meaning: "adit raises the soft limit to the hard one and carries about \(flows) flows at"
        + " once\(advice)")
  }

  static func pipes(_ facts: MachineFacts) -> [Finding] {
    let size = finding(
      "pipe size", facts.pipeMaxSize, key: "fs.pipe-max-size",
      atLeast: RelayLimits.pipeCapacity,
      good: "bulk data is moved in large pieces without copying",
      poor: "bulk data is moved in small pieces; sysctl fs.pipe-max-size=1048576")
    // 0 means no limit; processes with CAP_SYS_RESOURCE have none either.
    let pages = facts.pipeUserPagesSoft
    let unlimited = pages == 0 || facts.isRoot
    let count = (pages ?? 0) * 4096 / RelayLimits.pipeCapacity
    return [
      size,
      Finding(
        verdict: pages == nil ? .warn : unlimited || count >= 64 ? .ok : .warn,
        what: "pipe pages", value: pages.map { "\($0)" } ?? "unknown",
        meaning: unlimited
          ? "nothing limits the pipes of this user"
          : "this user's pipes are full-sized up to \(count) of them, and tiny beyond"
            + (count >= 64 ? "" : "; sysctl fs.pipe-user-pages-soft=65536")),
    ]
  }

  static func sockets(_ facts: MachineFacts) -> [Finding] {
    let ports = facts.portRange.map(\.count)
    let start = facts.unprivilegedPortStart ?? 1024
    return [
      finding(
        "accept queue", facts.somaxconn, key: "net.core.somaxconn", atLeast: backlog,
        good: "bursts of \(backlog) connections wait their turn",
        poor: "in a burst more connections than that are dropped and tried again by clients"
          + " after a second; sysctl net.core.somaxconn=\(backlog)"),
      Finding(
        verdict: ports.map { $0 < fewPorts ? .warn : .ok } ?? .warn, what: "local ports",
        value: facts.portRange.map { "\($0.lowerBound)-\($0.upperBound)" } ?? "unknown",
        meaning: "that many connections at once to one address and port of a target"
          + ((ports ?? 0) < fewPorts
            ? "; sysctl net.ipv4.ip_local_port_range=\"16384 60999\"" : "")),
      finding(
        "port reuse", facts.timeWaitReuse, key: "net.ipv4.tcp_tw_reuse", atLeast: 1,
        good: "local ports are used again without waiting where that is safe",
        poor: "a local port waits a minute after its connection; sysctl"
          + " net.ipv4.tcp_tw_reuse=1"),
      Finding(
        verdict: .ok, what: "low ports",
        value: facts.isRoot ? "permitted" : "from \(start)",
        meaning: facts.isRoot
          ? "this user may listen on every port"
          : "ports below need CAP_NET_BIND_SERVICE (AmbientCapabilities= in a unit)"),
    ]
  }

  static func ipv6(_ facts: MachineFacts) -> Finding {
    Finding(
      verdict: facts.hasIPv6 ? .ok : .missing, what: "IPv6",
      value: facts.hasIPv6 ? "bindv6only \(facts.bindV6Only ?? 0)" : "off",
      meaning: facts.hasIPv6
        ? "any:PORT listens for both families, with a socket for each whatever bindv6only says"
        : "any:PORT is IPv4 alone and IPv6 targets cannot be reached; sysctl"
          + " net.ipv6.conf.all.disable_ipv6=0")
  }

  static func names(_ facts: MachineFacts) -> Finding {
    guard let servers = facts.nameServers else {
      return Finding(
        verdict: .missing, what: "names", value: "/etc/resolv.conf is not readable",
        meaning: "targets by name are found in /etc/hosts alone; write a nameserver line")
    }
    return Finding(
      verdict: servers > 0 ? .ok : .warn, what: "names", value: "\(servers) name servers",
      meaning: servers > 0
        ? "targets may be names"
        : "names are asked of 127.0.0.1; write a nameserver line in /etc/resolv.conf")
  }

  private static func finding(
    _ what: String, _ number: Int?, key: String, atLeast least: Int, good: String, poor: String
  ) -> Finding {
    guard let number else {
      return Finding(
        verdict: .warn, what: what, value: "unknown", meaning: "\(key) is not readable here")
    }
    return Finding(
      verdict: number >= least ? .ok : .warn, what: what, value: "\(number)",
      meaning: number >= least ? good : poor)
  }
}
