import Foundation
import Synchronization

/// A program that the benchmark started and ends, by its process id.
///
/// Everything is started through `adit-load launch`, so that it also dies when the benchmark is
/// killed before it could clean up.
final class ChildProcess {
  private let process = Process()
  private let input = Pipe()
  private let output: Pipe?

  /// Those alive, for the signal handler.
  private static let alive = Mutex<Set<Int32>>([])

  var identifier: Int32 { process.processIdentifier }
  var isRunning: Bool { process.isRunning }

  /// Starts `command`; its messages go to `log`, its standard output to `log` too unless captured.
  init(load: String, listen: String? = nil, command: [String], log: String, capture: Bool = false)
    throws(BenchError)
  {
    guard FileManager.default.createFile(atPath: log, contents: nil),
      let file = FileHandle(forWritingAtPath: log)
    else {
      throw .failed("cannot write \(log)")
    }
    process.executableURL = URL(fileURLWithPath: load)
    process.arguments = ["launch"] + (listen.map { ["--listen", $0] } ?? []) + ["--"] + command
    process.standardInput = input
    process.standardError = file
    output = capture ? Pipe() : nil
    process.standardOutput = output ?? file
    do { try process.run() } catch { throw .failed("cannot start \(load): \(error)") }
    _ = ChildProcess.alive.withLock { $0.insert(process.processIdentifier) }
  }

  /// Asks the program to end, waits, and forces it if it does not.
  func stop() {
    if process.isRunning { process.terminate() }
    let limit = ContinuousClock.now + .seconds(3)
    while process.isRunning, ContinuousClock.now < limit { Thread.sleep(forTimeInterval: 0.005) }
    if process.isRunning { kill(identifier, SIGKILL) }
    finish()
  }

  /// Ends the program's standard input, which is how a load is told to let go, and waits.
  func release() {
    try? input.fileHandleForWriting.close()
    finish()
  }

  private func finish() {
    process.waitUntilExit()
    _ = ChildProcess.alive.withLock { $0.remove(identifier) }
  }

  /// The first line of the captured output; blocks until it is there.
  func firstLine() -> String {
    guard let output else { return "" }
    var line = Data()
    while let byte = try? output.fileHandleForReading.read(upToCount: 1), byte != Data([10]) {
      if byte.isEmpty { break }
      line += byte
    }
    return String(decoding: line, as: UTF8.self)
  }

  /// Everything the program prints until it ends, which it must within `seconds`.
  func outputUntilExit(within seconds: Double) throws(BenchError) -> String {
    let identifier = identifier
    let guardian = DispatchWorkItem { kill(identifier, SIGKILL) }
    DispatchQueue.global().asyncAfter(deadline: .now() + seconds, execute: guardian)
    let data = (try? output?.fileHandleForReading.readToEnd()) ?? Data()
    guardian.cancel()
    finish()
    guard process.terminationReason == .exit, process.terminationStatus == 0 else {
      throw .failed("\(process.arguments?.dropFirst(2).first ?? "a program") did not succeed")
    }
    return String(decoding: data, as: UTF8.self)
  }

  /// Ends what is still alive; for the signal handler.
  static func stopAll() {
    for identifier in alive.withLock({ $0 }) { kill(identifier, SIGTERM) }
  }
}
