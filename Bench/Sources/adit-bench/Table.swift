/// A table of the page: what its columns show and which way is better.
struct Table {
  var title: String
  var remark: String
  var columns: [Column]

  struct Column {
    var title: String
    var scenario: String
    var metric: Metric
    var isHigherBetter: Bool?
  }

  /// The cells: a heading row, a row for each relay, and last the ratio of adit to the best peer.
  func rows(_ results: Results, threads: Int) -> [[String]] {
    let relays = Relay.names.filter { relay in
      columns.contains { value($0, relay, results, threads) != nil }
    }
    guard !relays.isEmpty else { return [] }
    var rows = [["relay"] + columns.map(\.title)]
    for relay in relays {
      rows.append([relay] + columns.map { cell($0, relay, results, threads) })
    }
    rows.append(["adit / best peer"] + columns.map { ratio($0, results, threads) })
    return rows
  }

  private func value(_ column: Column, _ relay: String, _ results: Results, _ threads: Int)
    -> Double?
  {
    results.median(column.scenario, column.metric, relay, threads: threads)
  }

  /// A latency under a load that was not carried says nothing.
  private func cell(_ column: Column, _ relay: String, _ results: Results, _ threads: Int)
    -> String
  {
    guard let value = value(column, relay, results, threads) else { return "–" }
    if column.metric == .processorPerGigabyte || column.metric == .processorPerUnit,
      relay == "direct"
    {
      return "–"
    }
    let failures = results.median(column.scenario, .failures, relay, threads: threads) ?? 0
    return failures > 0.01 ? "overloaded" : decimal(value)
  }

  private func ratio(_ column: Column, _ results: Results, _ threads: Int) -> String {
    guard let higher = column.isHigherBetter,
      let own = value(column, "adit", results, threads),
      let best = results.best(column.scenario, column.metric, higher: higher, threads: threads),
      best.value > 0
    else { return "–" }
    return decimal(own / best.value)
  }
}

extension Results {
  /// The best peer of a column; those that could not carry the load do not count.
  func best(_ scenario: String, _ metric: Metric, higher: Bool, threads: Int)
    -> (relay: String, value: Double)?
  {
    let peers = Relay.names.filter { $0 != "direct" && $0 != "adit" }
    let able = peers.compactMap { relay -> (relay: String, value: Double)? in
      let failures = median(scenario, .failures, relay, threads: threads) ?? 0
      guard failures <= 0.01, let value = median(scenario, metric, relay, threads: threads) else {
        return nil
      }
      return (relay, value)
    }
    return able.max { higher ? $0.value < $1.value : $0.value > $1.value }
  }
}
