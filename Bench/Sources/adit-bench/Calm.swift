import Foundation

/// How much of the machine others took while something was measured.
///
/// The kernel counts all busy time; what this process and its descendants spent is taken off. The
/// rest are other programs and, on a virtual machine, its neighbours.
struct Calm {
  /// A measurement with more of other work than this, in processors, is worth repeating.
  static let limit = 0.15
  /// How often a disturbed measurement is tried, the first time included; the calmest counts.
  static let attempts = 3

  private let begin = ContinuousClock.now
  private let busy = Calm.busySeconds()
  private let own = Calm.ownSeconds()

  /// The processors that others kept busy since this value was made.
  func othersSinceThen() -> Double {
    let wall = (ContinuousClock.now - begin) / .seconds(1)
    let others = (Calm.busySeconds() - busy) - (Calm.ownSeconds() - own)
    return wall > 0 ? max(0, others / wall) : 0
  }

  private static func ownSeconds() -> Double {
    ResourceUse(root: ProcessInfo.processInfo.processIdentifier).processorNanoseconds / 1e9
  }

  /// `user nice system idle iowait irq softirq steal`, in ticks.
  private static func busySeconds() -> Double {
    let text = (try? String(contentsOfFile: "/proc/stat", encoding: .utf8)) ?? ""
    let ticks = text.prefix { $0 != "\n" }.split(separator: " ").dropFirst().compactMap {
      Double($0)
    }
    guard ticks.count >= 8 else { return 0 }
    return (ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6] + ticks[7]) / 100
  }
}
