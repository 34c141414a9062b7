import Foundation

/// What a process and its descendants use, as the kernel counts it under `/proc`.
struct ResourceUse {
  /// Processor time, exited children included.
  var processorNanoseconds = 0.0
  /// Memory that belongs to these processes alone.
  var privateBytes = 0.0
  var descriptors = 0

  /// Sums over the tree under `root`.
  init(root: Int32) {
    for process in ResourceUse.tree(root) {
      processorNanoseconds += ResourceUse.processorTime(process)
      privateBytes += ResourceUse.privateMemory(process)
      descriptors += ResourceUse.entries("/proc/\(process)/fd").count
    }
  }

  private static func text(_ path: String) -> String {
    guard let file = FileHandle(forReadingAtPath: path) else { return "" }
    defer { try? file.close() }
    let data = (try? file.readToEnd()) ?? nil
    return String(decoding: data ?? Data(), as: UTF8.self)
  }

  private static func entries(_ path: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
  }

  private static func tree(_ root: Int32) -> [Int32] {
    let children = entries("/proc/\(root)/task").flatMap { thread in
      text("/proc/\(root)/task/\(thread)/children").split(separator: " ").compactMap { Int32($0) }
    }
    return [root] + children.flatMap(tree)
  }

  /// Live threads to the nanosecond from `schedstat`; children that have exited to the tick (the
  /// sum of their exact times is rounded once, not each).
  private static func processorTime(_ process: Int32) -> Double {
    let threads = entries("/proc/\(process)/task").map { thread in
      Double(text("/proc/\(process)/task/\(thread)/schedstat").prefix { $0 != " " }) ?? 0
    }
    let fields =
      text("/proc/\(process)/stat").split(separator: ")").last?.split(separator: " ") ?? []
    let ticks = fields.count > 14 ? (Double(fields[13]) ?? 0) + (Double(fields[14]) ?? 0) : 0
    return threads.reduce(0, +) + ticks * 1e9 / 100
  }

  private static func privateMemory(_ process: Int32) -> Double {
    text("/proc/\(process)/smaps_rollup").split(separator: "\n").reduce(0) { sum, line in
      guard line.hasPrefix("Private_Clean:") || line.hasPrefix("Private_Dirty:") else { return sum }
      let words = line.split(separator: " ")
      return sum + (words.count > 1 ? (Double(words[1]) ?? 0) * 1024 : 0)
    }
  }
}

/// The hard limit of descriptors, which every program here is raised to.
func descriptorLimit() -> Int {
  let text = (try? String(contentsOfFile: "/proc/self/limits", encoding: .utf8)) ?? ""
  let line = text.split(separator: "\n").first { $0.hasPrefix("Max open files") }
  return line?.split(separator: " ").compactMap { Int($0) }.last ?? 1_000_000
}
