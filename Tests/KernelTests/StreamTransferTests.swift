import Foundation
import Kernel
import TestSupport
import Testing

@Suite struct StreamTransferTests {
  @Test func bytesMoveAndThenWouldBlock() throws {
    let pair = try SocketPair()
    #expect(try pair.far.receiveOnce() == .wouldBlock)
    try pair.near.send([1, 2, 3])
    #expect(try pair.far.receive() == [1, 2, 3])
    #expect(try pair.far.receiveOnce() == .wouldBlock)
  }

  @Test func peekingLeavesTheBytes() throws {
    let pair = try SocketPair()
    try pair.near.send([9])
    try wait(for: .readable, pair.far)
    var byte: UInt8 = 0
    #expect(try unsafe pair.far.peek(into: &byte, count: 1) == .moved(1))
    #expect(byte == 9)
    #expect(try pair.far.receive() == [9])
  }

  @Test func theEndOfAStreamComesAfterItsBytesAndLeavesTheOtherDirection() throws {
    let pair = try SocketPair()
    try pair.near.send([1])
    try pair.near.shutdownWrite()
    #expect(try pair.far.receive() == [1])
    try wait(for: .readable, pair.far)
    #expect(try pair.far.receiveOnce() == .ended)
    try pair.far.send([2])
    #expect(try pair.near.receive() == [2])
  }

  @Test func aFullSocketWouldBlock() throws {
    let pair = try SocketPair()
    let block = [UInt8](repeating: 0, count: 1 << 20)
    var transfer = Transfer.moved(0)
    for _ in 0..<64 {
      transfer = try unsafe pair.near.send(block, count: block.count)
      if transfer == .wouldBlock { break }
    }
    #expect(transfer == .wouldBlock)
    #expect(try pair.near.unacknowledged() > 0)
  }

  @Test func aResetIsAnErrorOnTheOtherSide() throws {
    let pair = try SocketPair()
    let far = try pair.far.duplicate()
    let near = try pair.near.duplicate()
    _ = consume pair
    near.reset()
    try wait(for: .readable, far)
    #expect(throws: Errno.connectionReset) { _ = try far.receiveOnce() }
  }

  @Test func writingToNobodyIsAnErrorAndNoSignal() throws {
    let pair = try SocketPair(at: .unix(.abstract(UUID().uuidString)))
    let near = try pair.near.duplicate()
    _ = consume pair
    #expect(throws: Errno.brokenPipe) {
      _ = try unsafe near.send([UInt8](repeating: 0, count: 1), count: 1)
    }
  }

  // MARK: Pipes

  @Test func aPipeCarriesBytesFromSocketToSocket() throws {
    let from = try SocketPair()
    let to = try SocketPair()
    let pipe = try SplicePipe(capacity: 65_536)
    #expect(try pipe.fill(from: from.far, count: 100) == .wouldBlock)
    #expect(try pipe.drain(to: to.near, count: 100) == .wouldBlock)
    let bytes = (0..<100).map { UInt8($0) }
    try from.near.send(bytes)
    try wait(for: .readable, from.far)
    #expect(try pipe.fill(from: from.far, count: 60) == .moved(60))
    #expect(try pipe.drain(to: to.near, count: 60) == .moved(60))
    #expect(try pipe.fill(from: from.far, count: 60) == .moved(40))
    try from.near.shutdownWrite()
    try wait(for: .readable, from.far)
    #expect(try pipe.fill(from: from.far, count: 60) == .ended)
    #expect(try pipe.drain(to: to.near, count: 60) == .moved(40))
    try wait(for: .readable, to.far)
    var received: [UInt8] = []
    while received.count < 100 { received += try to.far.receive() }
    #expect(received == bytes)
  }

  @Test func aPipeHoldsWhatItWasAskedToHold() throws {
    let pipe = try SplicePipe(capacity: 131_072)
    #expect(try pipe.capacity() == 131_072)
  }

  @Test func aPipeTakesTwoDescriptorsAndGivesThemBack() async {
    await #expect(processExitsWith: .success) {
      final class Owner {
        let pipe: SplicePipe
        init() throws { pipe = try SplicePipe(capacity: 4096) }
      }
      let growth = DescriptorGrowth()
      var owners = try (0..<DescriptorGrowth.many).map { _ in try Owner() }
      #expect(growth.isAbout(owners.count * SplicePipe.descriptorCount))
      owners = []
      #expect(growth.isAbout(0))
    }
  }

  // MARK: Memory

  @Test func forgottenMemoryReadsAsZeroes() throws {
    let memory = try ChunkMemory(chunkSize: 16_384, count: 4)
    for chunk in 0..<4 {
      unsafe memory.address(of: chunk).storeBytes(of: 7, toByteOffset: 16_383, as: UInt8.self)
    }
    memory.forget(1)
    let last = (0..<4).map { chunk in
      unsafe memory.address(of: chunk).load(fromByteOffset: 16_383, as: UInt8.self)
    }
    #expect(last == [7, 0, 7, 7])
  }

  @Test func aChunkThatIsNotThereTraps() async {
    await #expect(processExitsWith: .failure) {
      let memory = try ChunkMemory(chunkSize: 4096, count: 1)
      _ = unsafe memory.address(of: 1)
    }
  }
}
