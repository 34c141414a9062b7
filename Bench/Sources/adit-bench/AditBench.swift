import Foundation

/// Measures adit beside its peers and prints, and writes, tables with ratios.
@main
struct AditBench {
  static func main() {
    do {
      let arguments = Array(CommandLine.arguments.dropFirst())
      if arguments.contains("--help") { return print(Options.usage) }
      var options = try Options(
        arguments: arguments, environment: ProcessInfo.processInfo.environment)
      if options.load.isEmpty { options.load = siblingLoad() }
      try run(options)
    } catch let error as BenchError {
      note("adit-bench: \(error)")
      if case .usage = error { exit(2) }
      exit(1)
    } catch {
      note("adit-bench: \(error)")
      exit(1)
    }
  }

  /// `adit-load` is built beside this program.
  private static func siblingLoad() -> String {
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return URL(fileURLWithPath: own).deletingLastPathComponent().path + "/adit-load"
  }

  private static func run(_ options: Options) throws {
    if let line = Tool.installLine { note("some peers are missing; to install them: \(line)") }
    let workspace = try Workspace(load: options.load)
    let sources = stopOnSignals(workspace.folder)
    defer { sources.forEach { $0.cancel() } }
    defer { workspace.close() }
    var benchmark = Benchmark(options: options, workspace: workspace)
    for name in benchmark.results.skipped { note("\(name) is not there and is left out") }
    benchmark.run()
    try publish(benchmark.results, options)
  }

  private static func publish(_ results: Results, _ options: Options) throws {
    print(Page(results: results, isMarkdown: false).text)
    if let path = options.json { try results.write(to: path) }
    if let path = options.markdown {
      try Page(results: results, isMarkdown: true).replace(in: path)
    }
  }

  /// An interrupted run ends what it started and removes its folder.
  private static func stopOnSignals(_ folder: String) -> [any DispatchSourceSignal] {
    [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        ChildProcess.stopAll()
        try? FileManager.default.removeItem(atPath: folder)
        exit(128 + number)
      }
      source.resume()
      return source
    }
  }
}
