import Foundation
import Kernel
import Reactor
import Testing

@testable import Names

/// A clock that a test moves. It runs by itself only where a timeout of c-ares, which goes by the
/// machine's clock, is to come.
final class MovableClock: Sendable {
  private let runs: Bool
  private let offset = Lock<Duration>(.seconds(1000))

  init(runs: Bool) { self.runs = runs }

  func now() -> Instant {
    (runs ? Instant.now() : Instant(nanoseconds: 0)) + offset.withLock { $0 }
  }

  func advance(by duration: Duration) { offset.withLock { $0 += duration } }
}

/// The answers of both families to one name, as they come.
final class Answers {
  var list: [FamilyAnswer] = []
  var resolution: Resolution?

  var isComplete: Bool { list.count == 2 }

  subscript(family: AddressFamily) -> FamilyAnswer.Content? {
    list.first { $0.family == family }?.content
  }
}

/// A resolver, its loop, its clock and the name server that it asks.
final class ResolverRig {
  let clock: MovableClock
  let loop: EventLoop
  let server: ScriptedServer
  let resolver: Resolver
  let folder: URL

  /// Text for the file of servers and search domains; another text is another configuration.
  static let plain = "options ndots:1\n"

  init(
    configuration: String = plain, clockRuns: Bool = false,
    change: (inout ResolverSettings) -> Void = { _ in },
    _ script: @escaping (String, AddressFamily) -> ScriptedServer.Answer
  ) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    clock = MovableClock(runs: clockRuns)
    loop = try EventLoop(clock: clock.now)
    server = try ScriptedServer(on: loop, script)
    var settings = ResolverSettings()
    settings.configurationPath = folder.appending(path: "resolv.conf").path
    settings.servers = [server.address]
    settings.queryTimeout = .seconds(5)
    settings.tries = 1
    change(&settings)
    try configuration.write(
      to: folder.appending(path: "resolv.conf"), atomically: true, encoding: .utf8)
    resolver = try Resolver(loop: loop, settings: settings)
  }

  deinit {
    try? FileManager.default.removeItem(at: folder)
  }

  func configure(_ text: String) throws {
    try text.write(
      to: folder.appending(path: "resolv.conf"), atomically: true, encoding: .utf8)
  }

  func ask(_ name: String) -> Answers {
    let answers = Answers()
    answers.resolution = resolver.resolve(name) { answers.list.append($0) }
    return answers
  }

  /// Asks for a name and waits for both families.
  func answers(to name: String) throws -> Answers {
    let answers = ask(name)
    try run { answers.isComplete }
    return answers
  }

  /// Turns the loop until `condition` holds, 20 s at most.
  func run(until condition: () -> Bool) throws {
    let end = Instant.now() + .seconds(20)
    while !condition() {
      guard Instant.now() < end else {
        Issue.record("nothing came within 20 s")
        return
      }
      try loop.turn(waitAtMost: .milliseconds(100))
    }
  }

  /// Turns the loop as long as something is there to do at once.
  func settle() throws {
    for _ in 0..<8 { try loop.turn(waitAtMost: .milliseconds(5)) }
  }
}
