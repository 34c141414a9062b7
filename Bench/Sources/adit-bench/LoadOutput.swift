import Foundation

/// What `adit-load requests` and `adit-load connections` print; times in microseconds.
struct LoadOutput: Decodable {
  var total: Double
  var errors: Double
  var late: Double
  var rate: Double
  var p50: Double
  var p99: Double
}

/// What `adit-load bulk` prints.
struct BulkOutput: Decodable {
  var gigabits: Double
}

/// The part of iperf3's JSON that is used.
struct IperfOutput: Decodable {
  var end: End

  struct End: Decodable {
    var received: Sum

    enum CodingKeys: String, CodingKey { case received = "sum_received" }
  }

  struct Sum: Decodable {
    var bytes: Double
    var bitsPerSecond: Double

    enum CodingKeys: String, CodingKey { case bytes, bitsPerSecond = "bits_per_second" }
  }
}

/// Reads wrk's text: the rate and two lines of the latency distribution.
func wrkValues(_ text: String) throws(BenchError) -> [Metric: Double] {
  var values: [Metric: Double] = [:]
  for line in text.split(separator: "\n") {
    let words = line.split(separator: " ")
    guard words.count == 2 else { continue }
    switch words[0] {
    case "Requests/sec:": values[.rate] = Double(words[1])
    case "50%": values[.median] = microseconds(words[1])
    case "99%": values[.ninetyNinth] = microseconds(words[1])
    default: break
    }
  }
  guard values.count == 3 else { throw .failed("wrk printed no result") }
  return values
}

private func microseconds(_ text: Substring) -> Double? {
  for (suffix, factor) in [("us", 1.0), ("ms", 1e3), ("s", 1e6)] where text.hasSuffix(suffix) {
    return Double(text.dropLast(suffix.count)).map { $0 * factor }
  }
  return nil
}
