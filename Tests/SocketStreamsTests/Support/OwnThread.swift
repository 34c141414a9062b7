import Foundation
import Kernel

/// Code that may wait and has a run loop of its own: a thread for each test's side.
enum OwnThread {
  /// How long anything is waited for.
  static let patience: TimeInterval = 20

  /// Runs `body` on a new thread.
  static func run<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      let thread = Thread { continuation.resume(with: Result { try body() }) }
      thread.stackSize = 1 << 20
      thread.start()
    }
  }

  /// Runs this thread's run loop until `isDone`, or for a long time: false then.
  @discardableResult
  static func runLoop(mode: RunLoop.Mode = .default, until isDone: () -> Bool) -> Bool {
    let deadline = Date(timeIntervalSinceNow: patience)
    // A run loop without a source does not wait.
    let anchor = Timer.anchor(in: mode)
    defer { anchor.invalidate() }
    while !isDone() {
      guard Date() < deadline else { return false }
      _ = RunLoop.current.run(mode: mode, before: min(deadline, Date(timeIntervalSinceNow: 0.05)))
    }
    return true
  }
}

/// Work on a thread of its own, whose result is waited for later.
struct Side<Value: Sendable>: Sendable {
  private let task: Task<Value, any Error>

  init(_ body: @escaping @Sendable () throws -> Value) {
    task = Task { try await OwnThread.run(body) }
  }

  var value: Value {
    get async throws { try await task.value }
  }
}

extension Timer {
  /// Something that keeps a run loop waiting.
  fileprivate static func anchor(in mode: RunLoop.Mode) -> Timer {
    let timer = Timer(timeInterval: 1000, repeats: true) { _ in }
    RunLoop.current.add(timer, forMode: mode)
    return timer
  }
}
