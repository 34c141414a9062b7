public import Kernel

/// Several loops, each on a thread of its own.
public final class LoopGroup: Sendable {
  /// The loops, at least one.
  public let loops: [EventLoop]
  private let threads: Lock<[KernelThread]>

  /// Makes `count` ≥ 1 loops and starts their threads, named `NAME-0`, `NAME-1`, ….
  public init(count: Int, name: String) throws(Errno) {
    precondition(count >= 1, "a group has at least one loop")
    var loops: [EventLoop] = []
    for index in 0..<count { loops.append(try EventLoop(index: index)) }
    self.loops = loops
    threads = Lock([])
    do {
      for loop in loops {
        let thread = try KernelThread(name: "\(name)-\(loop.index)") {
          LoopGroup.runToTheEnd(loop)
        }
        threads.withLock { $0.append(thread) }
      }
    } catch {
      shutDown()
      throw error
    }
  }

  /// epoll_wait(2) fails only for a wrong argument, which is our mistake and traps.
  private static func runToTheEnd(_ loop: EventLoop) {
    do {
      try loop.run()
    } catch {
      preconditionFailure("loop \(loop.index) cannot wait for events: \(error)")
    }
  }

  /// Stops every loop and waits for its thread. Not from one of the loops.
  public func shutDown() {
    for loop in loops { loop.stop() }
    let joined = threads.withLock { threads in
      defer { threads = [] }
      return threads
    }
    for thread in joined { thread.join() }
  }
}
