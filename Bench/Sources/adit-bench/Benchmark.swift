import Foundation

/// Runs everything that was asked for, interleaved: in each round each scenario visits each relay,
/// so that what else the machine does falls on all of them alike.
struct Benchmark {
  let options: Options
  let relays: [Relay]
  let measurements: Measurements
  var results: Results

  /// Prepares a run on `workspace`; relays that are missing are named and left out.
  init(options: Options, workspace: Workspace) {
    self.options = options
    let wanted = Relay.all(options)
    relays = wanted.filter(\.isPresent)
    measurements = Measurements(workspace: workspace, seconds: options.seconds)
    results = Results(rounds: options.rounds, seconds: options.seconds)
    results.skipped = wanted.filter { !$0.isPresent }.map(\.name)
    for relay in relays { results.versions[relay.name] = version(of: relay, workspace) }
  }

  /// All passes: everything with one thread, then what can have more with more.
  mutating func run() {
    for threads in options.threads {
      let able = relays.filter { threads == 1 || $0.canHaveThreads }
      for section in options.sections { run(section, able, threads: threads) }
    }
  }

  private mutating func run(_ section: Section, _ relays: [Relay], threads: Int) {
    switch section {
    case .bulk: stage(bulkScenarios, relays, threads)
    case .requests:
      stage([.http, .requests(.peak)], relays, threads)
      guard let rates = offers("requests-peak", threads: threads) else { return }
      stage([.requests(.fixed(rates.fixed)), .requests(.half(rates.half))], relays, threads)
    case .connections:
      stage([.connections(.peak)], relays, threads)
      guard let rates = offers("connections-peak", threads: threads) else { return }
      stage([.connections(.fixed(rates.fixed)), .connections(.half(rates.half))], relays, threads)
    case .idle:
      // Idle connections cost the same with more threads.
      guard threads == options.threads.first else { return }
      stage([.idle(connections: options.idleConnections)], relays, threads)
    }
  }

  private var bulkScenarios: [Scenario] {
    if options.quick { return [.bulk(streams: 1, down: false), .bulk(streams: 8, down: true)] }
    return [1, 8].flatMap { streams in
      [false, true].map { Scenario.bulk(streams: streams, down: $0) }
    }
  }

  /// Half of the slowest serious peer's peak and half of the best peer's, in hundreds.
  private func offers(_ scenario: String, threads: Int) -> (fixed: Int, half: Int)? {
    func peaks(_ relays: [Relay]) -> [Double] {
      relays.compactMap { results.median(scenario, .rate, $0.name, threads: threads) }
    }
    let serious = peaks(relays.filter(\.isSerious))
    guard let slowest = serious.min(), let best = peaks(relays.filter(\.isPeer)).max() else {
      return nil
    }
    return (max(1, Int(slowest / 200)) * 100, max(1, Int(best / 200)) * 100)
  }

  private mutating func stage(_ scenarios: [Scenario], _ relays: [Relay], _ threads: Int) {
    for round in 1...options.rounds {
      for scenario in scenarios {
        for relay in relays { measure(scenario, relay, threads, round) }
      }
    }
  }

  /// Measures once, and again while others disturb it; the calmest attempt counts.
  private mutating func measure(_ plan: Scenario, _ relay: Relay, _ threads: Int, _ round: Int) {
    let scenario = fitted(plan, to: relay)
    var best: Measurement?
    for _ in 1...(options.quick ? 1 : Calm.attempts) {
      let attempt = attempt(scenario, relay, threads, round)
      if attempt.others < best?.others ?? .infinity { best = attempt }
      if attempt.others <= Calm.limit { break }
    }
    guard let best else { return }
    results.measurements.append(best)
    report(best)
  }

  private func attempt(_ scenario: Scenario, _ relay: Relay, _ threads: Int, _ round: Int)
    -> Measurement
  {
    var measurement = Measurement(
      scenario: scenario.identifier, relay: relay.name, threads: threads, round: round,
      offered: scenario.offeredRate, values: [:])
    let calm = Calm()
    do {
      measurement.values = try measurements.measure(scenario, relay, threads: threads)
    } catch {
      measurement.problem = "\(error)"
    }
    measurement.others = calm.othersSinceThen()
    return measurement
  }

  /// Idle connections in a number that the relay can hold within the descriptor limit.
  private func fitted(_ scenario: Scenario, to relay: Relay) -> Scenario {
    guard case .idle(let connections) = scenario else { return scenario }
    let room = (descriptorLimit() - 2000) / relay.descriptorsPerConnection
    return .idle(connections: max(1, min(connections, room, relay.connectionLimit)))
  }

  private func report(_ measurement: Measurement) {
    let values = measurement.values.sorted { $0.key.rawValue < $1.key.rawValue }
      .map { "\($0.key.rawValue) \(decimal($0.value))" }.joined(separator: ", ")
    let text = measurement.problem ?? values
    let place = "round \(measurement.round), \(measurement.threads) thread(s)"
    let others = measurement.others > Calm.limit ? ", others \(decimal(measurement.others))" : ""
    note("\(measurement.scenario) \(measurement.relay) (\(place)\(others)): \(text)")
  }

  private func version(of relay: Relay, _ workspace: Workspace) -> String {
    guard let path = relay.path, !relay.versionArguments.isEmpty else { return "" }
    // Some print their version on standard error, so both are read from the file.
    let log = workspace.log("version")
    let command = [path] + relay.versionArguments
    guard let child = try? ChildProcess(load: workspace.load, command: command, log: log) else {
      return "unknown"
    }
    child.release()
    let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
    let words = text.split { " \n/()".contains($0) }
    let version = words.first { $0.first?.isNumber == true && $0.contains(".") }
    return version.map(String.init) ?? "unknown"
  }
}

extension Scenario {
  /// The rate that is offered, 0 in a closed loop.
  var offeredRate: Int {
    switch self {
    case .requests(let offer), .connections(let offer): offer.rate
    case .bulk, .http, .idle: 0
    }
  }
}

/// Prints a line of progress on standard error.
func note(_ text: String) {
  FileHandle.standardError.write(Data((text + "\n").utf8))
}

/// A number with as many digits as mean something.
func decimal(_ value: Double) -> String {
  let size = abs(value)
  let digits = size >= 100 ? 0 : size >= 10 ? 1 : 2
  return String(format: "%.\(digits)f", value)
}
