internal import Kernel

/// What this machine says of itself, as it says it; nil where it says nothing.
struct MachineFacts: Hashable, Sendable {
  var kernelRelease: String?
  var descriptorsSoft: Int?
  var descriptorsHard: Int?
  var pipeMaxSize: Int?
  var pipeUserPagesSoft: Int?
  var somaxconn: Int?
  var portRange: ClosedRange<Int>?
  var unprivilegedPortStart: Int?
  var timeWaitReuse: Int?
  var bindV6Only: Int?
  var hasIPv6 = false
  /// Lines `nameserver` in resolv.conf; nil when it cannot be read.
  var nameServers: Int?
  var isRoot = false

  /// Asks the machine.
  static func read() -> MachineFacts {
    var facts = MachineFacts()
    facts.kernelRelease = text("/proc/sys/kernel/osrelease")
    if let limits = try? ProcessLimits.descriptorLimits() {
      facts.descriptorsSoft = limits.soft
      facts.descriptorsHard = limits.hard
    }
    facts.pipeMaxSize = number("/proc/sys/fs/pipe-max-size")
    facts.pipeUserPagesSoft = number("/proc/sys/fs/pipe-user-pages-soft")
    facts.somaxconn = number("/proc/sys/net/core/somaxconn")
    facts.portRange = range("/proc/sys/net/ipv4/ip_local_port_range")
    facts.unprivilegedPortStart = number("/proc/sys/net/ipv4/ip_unprivileged_port_start")
    facts.timeWaitReuse = number("/proc/sys/net/ipv4/tcp_tw_reuse")
    facts.bindV6Only = number("/proc/sys/net/ipv6/bindv6only")
    facts.hasIPv6 = text("/proc/net/if_inet6").map { !$0.isEmpty } ?? false
    facts.nameServers = text("/etc/resolv.conf").map { text in
      text.split(separator: "\n").count { $0.hasPrefix("nameserver") }
    }
    facts.isRoot = FileStatus.ownUser == 0
    return facts
  }

  /// The most that is read of one of these files.
  private static let fileLimit = 65_536

  private static func text(_ path: String) -> String? {
    guard let bytes = try? WholeFile.read(path, limit: fileLimit) else { return nil }
    let text = String(decoding: bytes, as: UTF8.self)
    return String(text.reversed().drop { $0.isWhitespace }.reversed())
  }

  private static func number(_ path: String) -> Int? {
    text(path).flatMap { Int($0) }
  }

  private static func range(_ path: String) -> ClosedRange<Int>? {
    let numbers = text(path)?.split { $0.isWhitespace }.compactMap { Int($0) } ?? []
    guard numbers.count == 2, numbers[0] <= numbers[1] else { return nil }
    return numbers[0]...numbers[1]
  }
}
