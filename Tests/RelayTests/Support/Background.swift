import Kernel
import Testing

/// Work on a thread of its own: a blocking call on a thread of Swift's pool would keep others from
/// running.
struct Background {
  private let thread: KernelThread

  init(_ body: @escaping @Sendable () throws -> Void) throws {
    thread = try KernelThread(name: "test-peer") {
      do { try body() } catch { Issue.record(error) }
    }
  }

  func join() { thread.join() }
}
