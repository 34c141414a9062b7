import Foundation

/// Performs one scenario on one relay.
struct Measurements {
  let workspace: Workspace
  let seconds: Double

  /// The values of one measurement by the names of `Metric`.
  func measure(_ scenario: Scenario, _ relay: Relay, threads: Int) throws -> [Metric: Double] {
    let target =
      if case .bulk = scenario { workspace.bulkServer } else { workspace.exchangeServer }
    return try workspace.withRelay(relay, target: target, threads: threads) { running in
      switch scenario {
      case .bulk(let streams, let down): try bulk(running, streams: streams, down: down)
      case .http: try http(running)
      case .requests(let offer): try exchanges(running, "requests", offer)
      case .connections(let offer): try exchanges(running, "connections", offer)
      case .idle(let connections): try idle(running, relay, connections: connections)
      }
    }
  }

  private func bulk(_ running: RunningRelay, streams: Int, down: Bool) throws -> [Metric: Double] {
    let time = max(1, Int(seconds))
    var command = [
      try Tool.iperf.required(), "-c", "127.0.0.1", "-p", "\(running.port)", "-J",
      "-t", "\(time)", "-P", "\(streams)",
    ]
    if down { command.append("-R") }
    let (text, processor) = try running.processorTime {
      try workspace.run(command, within: Double(time) + 10)
    }
    let received = try JSONDecoder().decode(IperfOutput.self, from: Data(text.utf8)).end.received
    guard received.bytes > 0 else { throw BenchError.failed("iperf3 received nothing") }
    return [
      .gigabits: received.bitsPerSecond / 1e9,
      .processorPerGigabyte: processor / 1e6 / (received.bytes / 1e9),
    ]
  }

  private func http(_ running: RunningRelay) throws -> [Metric: Double] {
    let time = max(1, Int(seconds))
    let command = [
      try Tool.wrk.required(), "-t", "1", "-c", "64", "-d", "\(time)s", "--latency",
      "http://127.0.0.1:\(running.port)/",
    ]
    let (text, _) = try running.processorTime {
      try workspace.run(command, within: Double(time) + 10)
    }
    return try wrkValues(text)
  }

  private func exchanges(_ running: RunningRelay, _ kind: String, _ offer: Scenario.Offer)
    throws -> [Metric: Double]
  {
    let (output, processor) = try running.processorTime { try load(running, kind, offer.rate) }
    return [
      .rate: output.rate, .median: output.p50, .ninetyNinth: output.p99,
      .processorPerUnit: processor / 1e3 / max(1, output.total),
      .failures: (output.errors + output.late) / max(1, output.total),
    ]
  }

  private func load(_ running: RunningRelay, _ kind: String, _ rate: Int) throws -> LoadOutput {
    let command = [
      workspace.load, kind, "--port", "\(running.port)", "--seconds", "\(seconds)",
      "--warmup", "0.3", "--sources", "4", "--rate", "\(rate)",
    ]
    let text = try workspace.run(command, within: seconds + 10)
    return try JSONDecoder().decode(LoadOutput.self, from: Data(text.utf8))
  }

  private func idle(_ running: RunningRelay, _ relay: Relay, connections: Int)
    throws -> [Metric: Double]
  {
    let before = running.use
    let holder = try ChildProcess(
      load: workspace.load,
      command: [
        workspace.load, "idle", "--port", "\(running.port)", "--connections", "\(connections)",
        "--sources", "4",
      ],
      log: workspace.log("idle"), capture: true)
    defer { holder.release() }
    let line = holder.firstLine()
    guard line == "{\"opened\":\(connections)}" else {
      throw BenchError.failed("\(relay.name) holds fewer than \(connections) connections: \(line)")
    }
    Thread.sleep(forTimeInterval: 1)  // Whoever gives memory back gets the time for it.
    let after = running.use
    var values: [Metric: Double] = [.connections: Double(connections)]
    if let before, let after {
      let count = Double(connections)
      values[.privateBytes] = (after.privateBytes - before.privateBytes) / count
      values[.descriptors] = Double(after.descriptors - before.descriptors) / count
    }
    values[.rate] = try load(running, "requests", 0).rate
    values[.gigabits] = try stream(running)
    return values
  }

  private func stream(_ running: RunningRelay) throws -> Double {
    let command = [
      workspace.load, "bulk", "--direction", "down", "--connections", "1",
      "--port", "\(running.port)", "--seconds", "\(seconds)",
    ]
    let text = try workspace.run(command, within: seconds + 10)
    return try JSONDecoder().decode(BulkOutput.self, from: Data(text.utf8)).gigabits
  }
}
