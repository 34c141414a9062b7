import Kernel
import Reactor
import TestSupport
import Testing

/// A loop that has warmed up allocates nothing, whatever happens on it.
@Suite(.enabled(if: Allocations.areCounted)) struct LoopAllocationTests {
  @Test func eventsAllocateNothing() throws {
    let loop = try EventLoop()
    let bells = try (0..<8).map { _ in try Bell(on: loop) }
    for bell in bells { bell.keepsCalls = false }
    func round() throws {
      for bell in bells { bell.ring() }
      try loop.turn(waitAtMost: .zero)
    }
    try round()
    #expect(try Allocations.during { for _ in 0..<1000 { try round() } } == 0)
    #expect(bells.allSatisfy { $0.count == 1001 })
  }

  @Test func timersAllocateNothing() throws {
    final class Silent: TimerHandler {
      var count = 0
      func timerFired(tag: UInt32) { count += 1 }
    }
    let clock = ManualClock()
    let loop = try EventLoop(clock: clock.now)
    let handler = Silent()
    func round() throws {
      let first = loop.setTimer(at: loop.now + .milliseconds(1), handler)
      for _ in 0..<8 { _ = loop.setTimer(at: loop.now + .milliseconds(1), handler) }
      loop.cancel(first)
      clock.advance(by: .milliseconds(1))
      try loop.turn(waitAtMost: .zero)
    }
    try round()
    #expect(try Allocations.during { for _ in 0..<1000 { try round() } } == 0)
    #expect(handler.count == 8008)
  }

  @Test func beingCalledSoonAllocatesNothing() throws {
    let loop = try EventLoop()
    let bell = try Bell(on: loop)
    bell.keepsCalls = false
    bell.onCall = { $1.callSoon($0, tag: 0) }
    bell.ring()
    for _ in 0..<4 { try loop.turn(waitAtMost: .zero) }
    #expect(
      try Allocations.during { for _ in 0..<1000 { try loop.turn(waitAtMost: .zero) } } == 0)
  }

  @Test func poolsAllocateNothing() throws {
    var chunks = try ChunkPool(chunkSize: 4096, count: 8)
    var pipes = PipePool(limit: 1, capacity: 4096) { capacity throws(Errno) in
      try SplicePipe(capacity: capacity)
    }
    if let pipe = pipes.take() { pipes.give(pipe) }
    if let chunk = chunks.take() { chunks.give(chunk) }
    let count = Allocations.during {
      for _ in 0..<1000 {
        if let pipe = pipes.take() { pipes.give(pipe) }
        if let chunk = chunks.take() { chunks.give(chunk) }
      }
    }
    #expect(count == 0)
  }
}
