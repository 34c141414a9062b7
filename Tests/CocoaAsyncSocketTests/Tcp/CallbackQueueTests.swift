import Dispatch
import Kernel
import Reactor
import TestSupport
import Testing

@testable import CocoaAsyncSocket

@Suite("Calls to delegates")
struct CallbackQueueTests {
  /// A loop that runs while the test does.
  private func withLoop(_ body: (EventLoop) throws -> Void) throws {
    let group = try LoopGroup(count: 1, name: "calls")
    defer { group.shutDown() }
    try body(group.loops[0])
  }

  @Test(arguments: [false, true])
  func callsKeepTheirOrder(isConcurrent: Bool) throws {
    try withLoop { loop in
      let queue = DispatchQueue(label: "order", attributes: isConcurrent ? .concurrent : [])
      let calls = CallbackQueue.of(queue)
      let order = Monitor<[Int]>([])
      for number in 0..<1000 {
        calls.append(watchedBy: loop) {
          order.withLock { $0.append(number) }
          order.signal()
        }
      }
      let all = order.wait(until: .now() + .seconds(20)) { $0.count == 1000 ? $0 : nil }
      #expect(all == Array(0..<1000))
    }
  }

  @Test func aQueueThatDoesNotRunIsSeen() throws {
    try withLoop { loop in
      let queue = DispatchQueue(label: "stuck")
      let calls = CallbackQueue.of(queue)
      guard case .idle = calls.look() else {
        Issue.record("nothing waits yet")
        return
      }
      queue.suspend()
      calls.append(watchedBy: loop) {}
      guard case .waiting = calls.look() else {
        Issue.record("the call waits")
        return
      }
      queue.resume()
      queue.sync {}
    }
  }

  @Test func aDispatchQueueHasOneQueueOfCalls() {
    let queue = DispatchQueue(label: "one")
    let calls = CallbackQueue.of(queue)
    #expect(CallbackQueue.of(queue) === calls)
    #expect(CallbackQueue.of(DispatchQueue(label: "other")) !== calls)
  }
}
