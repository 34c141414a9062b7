import Glibc
import Kernel
import Testing

/// Lets a test wait, at most 20 seconds, for something on another thread.
final class Signal: Sendable {
  private let wakeUp: WakeUp

  init() {
    do { wakeUp = try WakeUp() } catch { fatalError("no descriptor for a test: \(error)") }
  }

  func send() { wakeUp.signal() }

  func wait() {
    var entry = pollfd(fd: wakeUp.descriptor.number, events: Int16(POLLIN), revents: 0)
    if unsafe poll(&entry, 1, 20_000) != 1 { Issue.record("nothing came in 20 seconds") }
  }
}
