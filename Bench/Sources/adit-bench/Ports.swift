import Foundation

/// Ports on loopback: free ones, and waiting until one is listened on.
struct Ports {
  private var next = 10_000 + Int(ProcessInfo.processInfo.processIdentifier) * 37 % 15_000

  /// A port below the ephemeral range on which nothing listens.
  mutating func take() -> Int {
    repeat { next += 1 } while Ports.listening().contains(next)
    return next
  }

  /// Waits until `port` is listened on; false after five seconds or when `child` has ended.
  static func wait(for port: Int, child: ChildProcess) -> Bool {
    let limit = ContinuousClock.now + .seconds(5)
    while ContinuousClock.now < limit, child.isRunning {
      if listening().contains(port) { return true }
      Thread.sleep(forTimeInterval: 0.01)
    }
    return false
  }

  private static func listening() -> Set<Int> {
    var ports: Set<Int> = []
    for path in ["/proc/net/tcp", "/proc/net/tcp6"] {
      let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
      for line in text.split(separator: "\n") {
        let fields = line.split(separator: " ", maxSplits: 4)
        guard fields.count > 3, fields[3] == "0A" else { continue }
        if let port = Int(fields[1].suffix(4), radix: 16) { ports.insert(port) }
      }
    }
    return ports
  }
}
