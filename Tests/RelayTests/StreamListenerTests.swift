import Kernel
import Reactor
import Testing

@testable import Relay

/// Accepting over a simulated kernel: limits pause it, errors of one connection do not.
@Suite struct StreamListenerTests {
  private func listener(_ bench: RelayBench) throws -> StreamListener {
    let listener = StreamListener(
      try Descriptor.quiet(), at: .ip(.loopback4, port: 3), isShared: false, tunnel: bench.tunnel,
      home: bench.home)
    listener.open()
    return listener
  }

  private func connections(_ count: Int, _ bench: RelayBench) throws {
    for _ in 0..<count {
      bench.streams.waiting.append(.success(try bench.streams.makeSocket().release()))
    }
  }

  /// Reports readiness in turn after turn, as the poller does while something waits.
  private func report(_ listener: StreamListener, _ bench: RelayBench) throws {
    for _ in 0..<20 where bench.loop.population.registrations > 0 {
      listener.handle(.readable, tag: 0)
      try bench.loop.turn(waitAtMost: .zero)
    }
  }

  @Test("Every waiting connection becomes a flow, and bursts are bounded")
  func acceptsInBursts() throws {
    let bench = try RelayBench(flows: 1000)
    let listener = try listener(bench)
    try connections(200, bench)
    listener.handle(.readable, tag: 0)
    #expect(bench.home.flows.count == 1)
    try report(listener, bench)
    #expect(bench.home.flows.count == 200)
    listener.close()
  }

  @Test("At the flow limit accepting pauses with one warning, and goes on when a flow ends")
  func pausesAtTheLimit() throws {
    let bench = try RelayBench(flows: 3)
    let listener = try listener(bench)
    try connections(5, bench)
    try report(listener, bench)
    #expect(bench.home.flows.count == 3)
    #expect(bench.witness.warnings == 1)
    let before = bench.loop.population.registrations
    bench.home.flows[0].abort(because: .stopped)
    try bench.loop.turn(waitAtMost: .zero)
    #expect(bench.loop.population.registrations == before - 2 + 1, "the listener is back")
    try report(listener, bench)
    #expect(bench.home.flows.count == 3)
    #expect(bench.witness.warnings == 1, "the second pause comes too soon to be told again")
    #expect(bench.home.counters.acceptPauses == 2)
    #expect(bench.witness.resumptions == 1)
    listener.close()
  }

  @Test(
    "Without descriptors accepting pauses, and a timer tries again",
    arguments: [
      Errno.tooManyOpenFiles, .tooManyOpenFilesInSystem, .noBufferSpace, .outOfMemory,
    ])
  func pausesWithoutDescriptors(error: Errno) throws {
    let bench = try RelayBench()
    let listener = try listener(bench)
    bench.streams.waiting = [.failure(error)]
    listener.handle(.readable, tag: 0)
    #expect(bench.loop.population.registrations == 0)
    #expect(bench.budget.count == 0)
    try connections(1, bench)
    try bench.pass(.seconds(2))
    #expect(bench.loop.population.registrations == 1)
    try report(listener, bench)
    #expect(bench.home.flows.count == 1)
    listener.close()
  }

  @Test("An error that belongs to one connection stops nothing")
  func countsConnectionErrors() throws {
    let bench = try RelayBench()
    let listener = try listener(bench)
    bench.streams.waiting = [.failure(.connectionAborted), .failure(.timedOut)]
    try connections(1, bench)
    try report(listener, bench)
    #expect(bench.home.flows.count == 1)
    #expect(bench.home.counters.acceptErrors == 2)
    listener.close()
  }

  @Test("Closing takes what waits in the queue")
  func takesTheQueue() throws {
    let bench = try RelayBench()
    let listener = try listener(bench)
    try connections(4, bench)
    listener.close()
    #expect(bench.home.flows.count == 4)
  }
}

/// Places for flows, shared by loops.
@Suite struct FlowBudgetTests {
  @Test("No more places are given than there are")
  func isBounded() {
    let budget = FlowBudget(capacity: 2)
    #expect(budget.take() && budget.take())
    #expect(!budget.take())
    budget.give()
    #expect(budget.take())
  }

  @Test("Who waits for room is called once, when there is some")
  func callsWaiters() {
    let budget = FlowBudget(capacity: 1)
    let calls = Lock(0)
    #expect(budget.take())
    budget.waitForRoom { calls.withLock { $0 += 1 } }
    #expect(calls.withLock { $0 } == 0)
    budget.give()
    budget.waitForRoom { calls.withLock { $0 += 1 } }
    #expect(calls.withLock { $0 } == 2)
  }

  @Test("Raising the capacity is room too")
  func raises() {
    let budget = FlowBudget(capacity: 0)
    let calls = Lock(0)
    budget.waitForRoom { calls.withLock { $0 += 1 } }
    budget.capacity = 1
    #expect(calls.withLock { $0 } == 1)
  }

  @Test("Threads that take and give at once never exceed the capacity")
  func isExactUnderContention() throws {
    let budget = FlowBudget(capacity: 3)
    let worst = Lock((now: 0, most: 0))
    var threads: [Background] = []
    for _ in 0..<4 {
      threads.append(
        try Background {
          for _ in 0..<20_000 where budget.take() {
            worst.withLock {
              $0.now += 1
              $0.most = max($0.most, $0.now)
            }
            worst.withLock { $0.now -= 1 }
            budget.give()
          }
        })
    }
    for thread in threads { thread.join() }
    #expect(worst.withLock { $0.most } <= 3)
    #expect(budget.count == 0)
  }

  @Test("The limits derived from few descriptors leave room for everything else")
  func derivesLimits() {
    for limit in [60, 100, 1024, 20_000, 1_000_000] {
      for loops in [1, 2, 8] {
        let limits = RelayLimits(
          descriptorLimit: limit, openDescriptors: 12, loops: loops, listeners: 1)
        let used = 12 + RelayLimits.spareDescriptors + 6 * loops + 2 * limits.pipes * loops
        #expect(limits.flows >= 1)
        #expect(limits.flows == 1 || used + 2 * limits.flows <= limit)
      }
    }
  }
}
