/// The tables of the page, in order.
func tables(_ results: Results, threads: Int) -> [Table] {
  [bulkRate, bulkProcessor, requests(results, threads), connections(results, threads), idle]
}

private let bulkScenarios = [
  ("1 stream up", "bulk-1-up"), ("1 stream down", "bulk-1-down"),
  ("8 streams up", "bulk-8-up"), ("8 streams down", "bulk-8-down"),
]

private let bulkRate = Table(
  title: "Bulk throughput, Gbit/s", remark: "iperf3. More is better.",
  columns: bulkScenarios.map {
    .init(title: $0.0, scenario: $0.1, metric: .gigabits, isHigherBetter: true)
  })

private let bulkProcessor = Table(
  title: "Bulk, relay processor time, ms per GB",
  remark: "The same runs: what the relay spent. Less is better.",
  columns: bulkScenarios.map {
    .init(title: $0.0, scenario: $0.1, metric: .processorPerGigabyte, isHigherBetter: false)
  })

private func requests(_ results: Results, _ threads: Int) -> Table {
  Table(
    title: "Small requests on connections that stay open",
    remark: "64 connections, 128 bytes there and 512 back. "
      + offered("requests", results, threads),
    columns: [
      .init(title: "wrk, requests/s", scenario: "http", metric: .rate, isHigherBetter: true),
      .init(title: "wrk p50, µs", scenario: "http", metric: .median, isHigherBetter: false),
      .init(title: "wrk p99, µs", scenario: "http", metric: .ninetyNinth, isHigherBetter: false),
    ] + offerColumns("requests", "request"))
}

private func connections(_ results: Results, _ threads: Int) -> Table {
  Table(
    title: "New connections, one request each",
    remark: "64 at a time. " + offered("connections", results, threads),
    columns: offerColumns("connections", "connection"))
}

private func offerColumns(_ kind: String, _ unit: String) -> [Table.Column] {
  [
    .init(title: "peak/s", scenario: "\(kind)-peak", metric: .rate, isHigherBetter: true),
    .init(
      title: "processor µs a \(unit)", scenario: "\(kind)-fixed", metric: .processorPerUnit,
      isHigherBetter: false),
    .init(title: "p50, µs", scenario: "\(kind)-half", metric: .median, isHigherBetter: false),
    .init(title: "p99, µs", scenario: "\(kind)-half", metric: .ninetyNinth, isHigherBetter: false),
  ]
}

private func offered(_ kind: String, _ results: Results, _ threads: Int) -> String {
  guard let fixed = results.offered("\(kind)-fixed", threads: threads),
    let half = results.offered("\(kind)-half", threads: threads)
  else { return "" }
  return "Processor time at \(fixed)/s (half of the slowest peer's peak, socat apart), latency at "
    + "\(half)/s (half of the best peer's peak), from the moment a request was due."
}

private let idle = Table(
  title: "Idle connections",
  remark: "Each has carried one exchange. A relay that cannot hold as many holds what it can. "
    + "Memory is private memory of the relay; the kernel's own is the same for all. "
    + "The last two columns are measured while the idle ones are held.",
  columns: [
    .init(title: "connections", scenario: "idle", metric: .connections, isHigherBetter: nil),
    .init(title: "bytes each", scenario: "idle", metric: .privateBytes, isHigherBetter: false),
    .init(title: "descriptors each", scenario: "idle", metric: .descriptors, isHigherBetter: false),
    .init(title: "requests/s", scenario: "idle", metric: .rate, isHigherBetter: true),
    .init(
      title: "1 stream down, Gbit/s", scenario: "idle", metric: .gigabits, isHigherBetter: true),
  ])
