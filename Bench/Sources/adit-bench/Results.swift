import Foundation

/// What is measured; the raw values are the keys of the JSON file.
enum Metric: String, Codable, CodingKeyRepresentable {
  case gigabits
  case processorPerGigabyte = "processor-milliseconds-per-gigabyte"
  case rate
  case median = "p50-microseconds"
  case ninetyNinth = "p99-microseconds"
  case processorPerUnit = "processor-microseconds-per-unit"
  case failures = "failed-fraction"
  case connections
  case privateBytes = "private-bytes-per-connection"
  case descriptors = "descriptors-per-connection"
}

/// One measurement of one round.
struct Measurement: Codable {
  var scenario: String
  var relay: String
  var threads: Int
  var round: Int
  var offered: Int
  var values: [Metric: Double]
  /// Processors that other programs kept busy meanwhile.
  var others = 0.0
  var problem: String?
}

/// All that a run found, and what it ran on.
struct Results: Codable {
  var machine = Machine()
  var versions: [String: String] = [:]
  var skipped: [String] = []
  var rounds: Int
  var seconds: Double
  var measurements: [Measurement] = []

  /// The median over the rounds, or nil when there is none.
  func median(_ scenario: String, _ metric: Metric, _ relay: String, threads: Int) -> Double? {
    let values = measurements.filter {
      $0.scenario == scenario && $0.relay == relay && $0.threads == threads
    }.compactMap { $0.values[metric] }.sorted()
    guard !values.isEmpty else { return nil }
    let middle = values.count / 2
    return values.count % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2
  }

  /// The rate that was offered in a scenario, or nil when it was not run.
  func offered(_ scenario: String, threads: Int) -> Int? {
    measurements.first { $0.scenario == scenario && $0.threads == threads && $0.offered > 0 }?
      .offered
  }

  /// The median share of the machine that others took, in processors.
  var others: Double {
    let values = measurements.map(\.others).sorted()
    return values.isEmpty ? 0 : values[values.count / 2]
  }

  /// Writes the whole as JSON.
  func write(to path: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try encoder.encode(self).write(to: URL(fileURLWithPath: path))
  }
}

/// What the numbers depend on, without the machine's name.
struct Machine: Codable {
  var processor = "unknown"
  var cores = ProcessInfo.processInfo.processorCount
  var kernel = "unknown"

  /// Reads the running system.
  init() {
    let text = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
    if let line = text.split(separator: "\n").first(where: { $0.hasPrefix("model name") }) {
      processor =
        line.split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) } ?? ""
    }
    let release = (try? String(contentsOfFile: "/proc/sys/kernel/osrelease", encoding: .utf8)) ?? ""
    kernel = String(release.prefix { $0.isNumber || $0 == "." })
  }
}
