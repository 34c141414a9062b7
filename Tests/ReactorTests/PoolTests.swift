import Kernel
import TestSupport
import Testing

@testable import Reactor

@Suite struct PoolTests {
  // MARK: Chunks

  @Test func aPoolLendsNoMoreChunksThanItHas() throws {
    var pool = try ChunkPool(chunkSize: 4096, count: 2)
    guard let first = pool.take(), let second = pool.take() else {
      Issue.record("the pool lends nothing")
      return
    }
    #expect(first.index != second.index)
    #expect(first.size == 4096)
    switch pool.take() {
    case .some(let third):
      Issue.record("a third chunk is lent")
      pool.give(third)
    case nil: break
    }
    #expect(pool.lent == 2)
    #expect(pool.refusals == 1)
    pool.give(first)
    pool.give(second)
    #expect(pool.lent == 0)
  }

  @Test func theChunkGivenBackLastIsLentFirst() throws {
    var pool = try ChunkPool(chunkSize: 4096, count: 8)
    guard let first = pool.take(), let second = pool.take() else { return }
    let index = first.index
    pool.give(second)
    pool.give(first)
    guard let again = pool.take() else { return }
    #expect(again.index == index)
    pool.give(again)
  }

  @Test func trimmingGivesBackTheMemoryOfFreeChunksOnly() throws {
    var pool = try ChunkPool(chunkSize: 4096, count: 2)
    guard let kept = pool.take(), let freed = pool.take() else { return }
    unsafe kept.withBytes { unsafe $0.storeBytes(of: 7, as: UInt8.self) }
    unsafe freed.withBytes { unsafe $0.storeBytes(of: 7, as: UInt8.self) }
    pool.give(freed)
    pool.trim()
    #expect(unsafe kept.withBytes { unsafe $0.load(as: UInt8.self) } == 7)
    guard let again = pool.take() else { return }
    #expect(unsafe again.withBytes { unsafe $0.load(as: UInt8.self) } == 0)
    pool.give(kept)
    pool.give(again)
  }

  @Test func aDroppedChunkTraps() async {
    await #expect(processExitsWith: .failure) {
      var pool = try ChunkPool(chunkSize: 4096, count: 1)
      _ = pool.take()
    }
  }

  @Test func bytesOutsideAChunkTrap() async {
    await #expect(processExitsWith: .failure) {
      var pool = try ChunkPool(chunkSize: 4096, count: 1)
      let socket = try Descriptor.streamSocket(for: .ip(.loopback4, port: 0))
      guard let chunk = pool.take() else { return }
      _ = try? chunk.send(to: socket, offset: 4000, count: 97)
      pool.give(chunk)
    }
    await #expect(processExitsWith: .failure) {
      var pool = try ChunkPool(chunkSize: 4096, count: 1)
      let socket = try Descriptor.streamSocket(for: .ip(.loopback4, port: 0))
      guard let chunk = pool.take() else { return }
      _ = try? chunk.receive(from: socket, count: 4097)
      pool.give(chunk)
    }
  }

  // MARK: Pipes

  private static func make(_ capacity: Int) throws(Errno) -> SplicePipe {
    try SplicePipe(capacity: capacity)
  }

  @Test func aPoolOpensNoMorePipesThanItsLimit() {
    var pool = PipePool(limit: 2, capacity: 4096, make: PoolTests.make)
    let lent = [pool.take(), pool.take()].compactMap(\.self)
    #expect(lent.count == 2)
    #expect(pool.take() == nil)
    #expect(pool.open == 2)
    #expect(pool.refusals == 1)
    pool.give(lent[0])
    #expect(pool.take() === lent[0])
    #expect(pool.open == 2)
  }

  @Test func aPipeThatCannotBeOpenedIsARefusal() {
    var pool = PipePool(limit: 2, capacity: 4096) { _ throws(Errno) in throw .tooManyOpenFiles }
    #expect(pool.take() == nil)
    #expect(pool.open == 0)
    #expect(pool.refusals == 1)
  }

  @Test func pipesAreClosedWhenTheyAreDiscardedOrTrimmed() async {
    await #expect(processExitsWith: .success) {
      let growth = DescriptorGrowth()
      var pool = PipePool(limit: 96, capacity: 4096, make: PoolTests.make)
      var lent = (0..<96).compactMap { _ in pool.take() }
      #expect(growth.isAbout(192))
      for _ in 0..<32 { pool.discard(lent.removeLast()) }
      #expect(pool.open == 64)
      #expect(growth.isAbout(128))
      for _ in 0..<32 { pool.give(lent.removeLast()) }
      #expect(growth.isAbout(128))
      pool.trim()
      #expect(pool.open == 32)
      #expect(growth.isAbout(64))
      while let pipe = lent.popLast() { pool.give(pipe) }
      pool.trim()
      #expect(pool.open == 0)
      #expect(growth.isAbout(0))
    }
  }
}
