import Foundation

/// The promises of the project, as ratios of medians of one run with one thread.
struct Target {
  var promise: String
  var measured: Double?
  var bound: Double
  var isUpperBound = true

  var verdict: String {
    guard let measured else { return "not measured" }
    return (isUpperBound ? measured <= bound : measured >= bound) ? "yes" : "no"
  }

  /// The rows of the table of promises, with its heading.
  static func rows(_ results: Results) -> [[String]] {
    [["promise", "bound", "measured", "kept"]]
      + all(results).map { target in
        [
          target.promise, (target.isUpperBound ? "≤ " : "≥ ") + decimal(target.bound),
          target.measured.map(precise) ?? "–", target.verdict,
        ]
      }
  }

  static func all(_ results: Results) -> [Target] {
    bulk(results) + offered(results, "requests", "request")
      + offered(results, "connections", "connection") + idle(results)
  }

  private static func bulk(_ results: Results) -> [Target] {
    ["bulk-1-up", "bulk-1-down", "bulk-8-up", "bulk-8-down"].flatMap { scenario in
      [
        Target(
          promise: "\(scenario): processor time a GB, of socket-proxyd's",
          measured: ratio(results, scenario, .processorPerGigabyte, to: "socket-proxyd"),
          bound: 1.05),
        Target(
          promise: "\(scenario): processor time a GB, of HAProxy's with splice",
          measured: ratio(results, scenario, .processorPerGigabyte, to: "haproxy-splice"),
          bound: 0.5),
        Target(
          promise: "\(scenario): throughput, of the best peer's",
          measured: ratioToBest(results, scenario, .gigabits, higher: true), bound: 1,
          isUpperBound: false),
      ]
    }
  }

  private static func offered(_ results: Results, _ kind: String, _ unit: String) -> [Target] {
    let champion = results.best("\(kind)-peak", .rate, higher: true, threads: 1)?.relay
    return [
      Target(
        promise: "processor time a \(unit), of the best peer's",
        measured: ratioToBest(results, "\(kind)-fixed", .processorPerUnit, higher: false),
        bound: 0.8),
      Target(
        promise: "\(kind): p99 at half of the best peer's peak, of that peer's",
        measured: champion.flatMap { ratio(results, "\(kind)-half", .ninetyNinth, to: $0) },
        bound: 1.1),
      Target(
        promise: "\(kind): peak rate, of the best peer's",
        measured: ratioToBest(results, "\(kind)-peak", .rate, higher: true), bound: 1,
        isUpperBound: false),
    ]
  }

  private static func idle(_ results: Results) -> [Target] {
    [
      Target(
        promise: "idle: bytes of private memory a connection",
        measured: results.median("idle", .privateBytes, "adit", threads: 1), bound: 1024),
      Target(
        promise: "idle: descriptors a connection",
        measured: results.median("idle", .descriptors, "adit", threads: 1), bound: 2),
    ]
  }

  private static func ratio(
    _ results: Results, _ scenario: String, _ metric: Metric, to relay: String
  ) -> Double? {
    guard let own = results.median(scenario, metric, "adit", threads: 1),
      let other = results.median(scenario, metric, relay, threads: 1), other > 0
    else { return nil }
    return own / other
  }

  private static func ratioToBest(
    _ results: Results, _ scenario: String, _ metric: Metric, higher: Bool
  ) -> Double? {
    results.best(scenario, metric, higher: higher, threads: 1)
      .flatMap { ratio(results, scenario, metric, to: $0.relay) }
  }
}

/// A ratio with a digit more than its bound, so that a near miss shows as one.
private func precise(_ value: Double) -> String {
  abs(value) < 10 ? String(format: "%.3f", value) : decimal(value)
}
