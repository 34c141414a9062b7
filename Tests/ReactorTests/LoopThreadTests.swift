import Foundation
import Glibc
import Kernel
import TestSupport
import Testing

@testable import Reactor

/// Loops that run on threads of their own, and what reaches them from others.
@Suite struct LoopThreadTests {
  @Test func postedWorkRunsOnTheLoopInItsOrder() throws {
    let group = try LoopGroup(count: 1, name: "test")
    let seen = Monitor<[Int]>([])
    for number in 0..<1000 {
      group.loops[0].post { [loop = group.loops[0]] in
        seen.withLock { $0.append(loop.isCurrent ? number : -1) }
        seen.signal()
      }
    }
    #expect(!group.loops[0].isCurrent)
    let numbers = seen.wait(until: Instant.now() + .seconds(20)) { $0.count == 1000 ? $0 : nil }
    #expect(numbers == Array(0..<1000))
    group.shutDown()
  }

  @Test func workFromManyThreadsAllArrives() throws {
    let group = try LoopGroup(count: 2, name: "test")
    let sums = Monitor([0, 0])
    let threads = try (0..<4).map { _ in
      try KernelThread(name: "poster") {
        for turn in 0..<2000 {
          let index = turn % 2
          group.loops[index].post {
            sums.withLock { $0[index] += 1 }
            sums.signal()
          }
        }
      }
    }
    for thread in threads { thread.join() }
    let done = sums.wait(until: Instant.now() + .seconds(20)) { $0 == [4000, 4000] ? true : nil }
    #expect(done == true)
    group.shutDown()
  }

  @Test func workPostedByWorkRunsInALaterTurn() throws {
    let loop = try EventLoop()
    let turns = Lock<[UInt64]>([])
    loop.post {
      turns.withLock { $0.append(loop.turns) }
      loop.post { turns.withLock { $0.append(loop.turns) } }
    }
    try loop.turn(waitAtMost: .zero)
    try loop.turn(waitAtMost: nil)
    #expect(turns.withLock { $0 } == [1, 2])
  }

  @Test func stoppingBeforeRunningEndsTheRunAtOnce() throws {
    let loop = try EventLoop()
    loop.stop()
    try loop.run()
    #expect(loop.turns == 1)
    #expect(!loop.isCurrent)
  }

  @Test func aLoopBoundValueIsTouchedOnItsLoopOnly() throws {
    final class Counter { var value = 0 }
    let group = try LoopGroup(count: 1, name: "test")
    let loop = group.loops[0]
    let bound = LoopBound(Counter(), to: loop)
    let seen = Monitor(0)
    bound.perform { $0.value += 1 }
    bound.perform { counter in
      seen.withLock { $0 = loop.isCurrent ? counter.value : -1 }
      seen.signal()
    }
    #expect(seen.wait(until: Instant.now() + .seconds(20)) { $0 == 0 ? nil : $0 } == 1)
    group.shutDown()
  }

  // MARK: Actors

  private actor Resident {
    nonisolated let loop: EventLoop
    private var visits = 0

    init(on loop: EventLoop) { self.loop = loop }

    nonisolated var unownedExecutor: UnownedSerialExecutor {
      unsafe loop.asUnownedSerialExecutor()
    }

    func visit() -> (number: Int, isOnLoop: Bool) {
      visits += 1
      loop.checkIsolated()
      return (visits, loop.isCurrent)
    }
  }

  @Test func anActorMayLiveOnALoop() async throws {
    let group = try LoopGroup(count: 1, name: "test")
    let resident = Resident(on: group.loops[0])
    for number in 1...100 {
      let visit = await resident.visit()
      #expect(visit.number == number)
      #expect(visit.isOnLoop)
    }
    group.shutDown()
  }

  @Test func codeThatIsNotOnTheLoopIsFoundOut() async throws {
    await #expect(processExitsWith: .failure) {
      try EventLoop().checkIsolated()
    }
    #expect(try EventLoop().isIsolatingCurrentContext() == false)
  }

  // MARK: Processes of their own

  @Test func shuttingDownLeavesNoThreadAndNoDescriptor() async {
    await #expect(processExitsWith: .success) {
      let growth = DescriptorGrowth()
      for _ in 0..<16 {
        let group = try LoopGroup(count: 4, name: "adit-test")
        group.shutDown()
        group.shutDown()
      }
      #expect(growth.isAbout(0))
      // A thread that was joined stays in sight until the kernel has cleared it away.
      let end = Instant.now() + .seconds(20)
      while LoopThreadTests.threads(named: "adit-test") > 0, Instant.now() < end {}
      #expect(LoopThreadTests.threads(named: "adit-test") == 0)
    }
  }

  private static func threads(named prefix: String) -> Int {
    let folder = "/proc/self/task"
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return threads.count { thread in
      let name = try? String(contentsOfFile: "\(folder)/\(thread)/comm", encoding: .utf8)
      return name?.hasPrefix(prefix) == true
    }
  }

  @Test func theThreadsOfAGroupHaveItsName() throws {
    let group = try LoopGroup(count: 2, name: "adit-named")
    let end = Instant.now() + .seconds(20)
    while LoopThreadTests.threads(named: "adit-named-") < 2, Instant.now() < end {}
    #expect(LoopThreadTests.threads(named: "adit-named-") == 2)
    group.shutDown()
  }

  @Test func signalsReachTheLoop() async {
    await #expect(processExitsWith: .success) {
      let loop = try EventLoop()
      var received: [Int32] = []
      _ = try Signals([SIGUSR1, SIGUSR2], on: loop) { received.append($0) }
      raise(SIGUSR1)
      try loop.turn(waitAtMost: .seconds(20))
      raise(SIGUSR2)
      try loop.turn(waitAtMost: .seconds(20))
      #expect(received == [SIGUSR1, SIGUSR2])
    }
  }

  @Test func anEventLoopTakesTwoDescriptorsAndGivesThemBack() async {
    await #expect(processExitsWith: .success) {
      let growth = DescriptorGrowth()
      var loops = try (0..<DescriptorGrowth.many).map { _ in try EventLoop() }
      for loop in loops { try loop.turn(waitAtMost: .zero) }
      #expect(growth.isAbout(2 * loops.count))
      loops = []
      #expect(growth.isAbout(0))
    }
  }

  @Test func aGroupThatCannotBeMadeLeavesNothingBehind() async {
    await #expect(processExitsWith: .success) {
      let growth = DescriptorGrowth()
      DescriptorLimit.lower(to: 512)
      var held: [Int32] = []
      while let descriptor = try? Descriptor.quiet() { held.append(descriptor.release()) }
      for _ in 0..<100 { _ = Descriptor(adopting: held.removeLast()) }
      for _ in 0..<16 {
        #expect(throws: Errno.tooManyOpenFiles) { _ = try LoopGroup(count: 64, name: "test") }
      }
      for number in held { _ = Descriptor(adopting: number) }
      #expect(growth.isAbout(0))
    }
  }
}
