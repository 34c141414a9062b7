import Foundation

/// The temporary folder, the servers behind the relays and the ports: what all measurements share.
final class Workspace {
  let folder: String
  let load: String
  let exchangeServer: Int
  let bulkServer: Int
  private var ports = Ports()
  private var servers: [ChildProcess] = []
  private var started = 0

  /// Starts the servers.
  init(load: String) throws {
    self.load = load
    folder = NSTemporaryDirectory() + "adit-bench-\(ProcessInfo.processInfo.processIdentifier)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    exchangeServer = ports.take()
    bulkServer = ports.take()
    try serve(exchangeServer, [load, "server", "--port", "\(exchangeServer)"])
    if let iperf = Tool.iperf.path {
      try serve(bulkServer, [iperf, "-s", "-B", "127.0.0.1", "-p", "\(bulkServer)"])
    }
  }

  private func serve(_ port: Int, _ command: [String]) throws {
    let server = try ChildProcess(load: load, command: command, log: log("server"))
    servers.append(server)
    guard Ports.wait(for: port, child: server) else {
      throw BenchError.failed("\(command[0]) does not listen on \(port)")
    }
  }

  /// A fresh file for the messages of a program.
  func log(_ name: String) -> String {
    started += 1
    return "\(folder)/\(name)-\(started).log"
  }

  /// Runs `body` with `relay` in front of `target`; the port is the target's own for `direct`.
  func withRelay<Value>(
    _ relay: Relay, target: Int, threads: Int, body: (RunningRelay) throws -> Value
  ) throws -> Value {
    guard relay.path != nil else { return try body(RunningRelay(port: target, child: nil)) }
    let port = ports.take()
    let home = "\(folder)/\(relay.name)-\(port)"
    try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
    let plan = Relay.Plan(listen: port, target: target, threads: threads, folder: home)
    let messages = log(relay.name)
    let child = try ChildProcess(
      load: load, listen: relay.isActivated ? "127.0.0.1:\(port)" : nil,
      command: try relay.command(plan), log: messages)
    defer { child.stop() }
    guard Ports.wait(for: port, child: child) else {
      let text = (try? String(contentsOfFile: messages, encoding: .utf8)) ?? ""
      throw BenchError.failed("\(relay.name) did not start: \(text.suffix(300))")
    }
    Thread.sleep(forTimeInterval: 0.1)  // Start-up work is not measured.
    return try body(RunningRelay(port: port, child: child))
  }

  /// Runs a program to its end and returns what it printed.
  func run(_ command: [String], within seconds: Double) throws -> String {
    let child = try ChildProcess(load: load, command: command, log: log("load"), capture: true)
    return try child.outputUntilExit(within: seconds)
  }

  /// Ends the servers and removes the folder.
  func close() {
    servers.forEach { $0.stop() }
    try? FileManager.default.removeItem(atPath: folder)
  }
}

/// A relay that is up, or the direct path.
struct RunningRelay {
  var port: Int
  var child: ChildProcess?

  /// What the relay uses now; nil for the direct path.
  var use: ResourceUse? { child.map { ResourceUse(root: $0.identifier) } }

  /// The processor time in nanoseconds that the relay spends while `body` runs.
  func processorTime<Value>(of body: () throws -> Value) rethrows -> (Value, Double) {
    let before = use?.processorNanoseconds ?? 0
    let value = try body()
    Thread.sleep(forTimeInterval: 0.1)  // The last closes, and children that a parent still reaps.
    return (value, (use?.processorNanoseconds ?? 0) - before)
  }
}
