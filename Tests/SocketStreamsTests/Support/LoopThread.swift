import Foundation
import Kernel

/// A thread that does nothing but run its run loop.
final class LoopThread: Sendable {
  /// Guard of the `@unchecked`: run loops take sources and timers from any thread.
  struct Handle: @unchecked Sendable {
    let loop: RunLoop
    let identity: ObjectIdentifier
  }

  private let started = Monitor<Handle?>(nil)
  private let isStopped = Lock(false)

  func start() -> Handle {
    let thread = Thread { [self] in
      let keeper = Timer(timeInterval: 1000, repeats: true) { _ in }
      RunLoop.current.add(keeper, forMode: .default)
      let handle = Handle(loop: .current, identity: ObjectIdentifier(Thread.current))
      started.withLock { $0 = handle }
      started.signal()
      while !isStopped.withLock({ $0 }) {
        _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.05))
      }
      keeper.invalidate()
    }
    thread.start()
    return handle
  }

  private var handle: Handle {
    guard let handle = started.wait(for: { $0 }) else {
      preconditionFailure("a wait without a deadline has ended")
    }
    return handle
  }

  var identity: ObjectIdentifier { handle.identity }

  func stop() {
    isStopped.withLock { $0 = true }
  }

  /// Looks at something that the thread changes, on the thread.
  func read<Value>(_ body: @escaping () -> Value) -> Value {
    let result = Monitor<Value?>(nil)
    // Guard of the `nonisolated(unsafe)`: this thread waits while the other runs it.
    nonisolated(unsafe) let body = body
    let timer = Timer(timeInterval: 0, repeats: false) { _ in
      let value = unsafe body()
      result.withLock { $0 = value }
      result.signal()
    }
    handle.loop.add(timer, forMode: .default)
    _ = result.wait { $0 }
    guard let value = result.withLock({ $0 }) else {
      preconditionFailure("the thread has given a value")
    }
    return value
  }

  /// Waits until something is so, for the thread to look at.
  func wait(until isSo: @escaping () -> Bool) {
    let deadline = Date(timeIntervalSinceNow: OwnThread.patience)
    while !read(isSo), Date() < deadline { sched_yield() }
  }
}
