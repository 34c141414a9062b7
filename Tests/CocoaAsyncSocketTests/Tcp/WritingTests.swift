import CocoaAsyncSocket
import Foundation
import Kernel
import TestSupport
import Testing

@Suite("Writing by a delegate's socket")
struct WritingTests {
  typealias Rig = ReadingTests.Rig

  /// More than two socket buffers hold.
  private static let much = Data(count: 32 * 1_048_576)

  @Test func manySmallWritesArriveInOrder() throws {
    let rig = try Rig()
    let count = 100_000
    let tags = Monitor<[Int]>([])
    rig.recorder.onEvent { _, event in
      guard case .wrote(let tag) = event else { return }
      tags.withLock { $0.append(tag) }
      if tag == count - 1 { tags.signal() }
    }
    for tag in 0..<count { rig.socket.write(Data([UInt8(tag & 255)]), withTimeout: -1, tag: tag) }
    let bytes = rig.peer.receive(count)
    #expect(bytes.count == count)
    #expect(bytes.indices.allSatisfy { bytes[$0] == UInt8($0 & 255) })
    let all = tags.wait(until: .now() + Recorder.patience) { $0.count == count ? $0 : nil }
    #expect(all == Array(0..<count))
    #expect(rig.socket.bufferedBytes == 0)
  }

  @Test func aWriteWhoseTimeIsOverClosesTheConnection() throws {
    let rig = try Rig()
    rig.recorder.extend(by: [0.01])
    rig.socket.write(WritingTests.much, withTimeout: 0.02, tag: 3)
    let error = try #require(try rig.recorder.disconnected(rig.socket))
    #expect(error.code == GCDAsyncSocketError.writeTimeoutError.rawValue)
    let asked = rig.recorder.left(of: rig.socket).compactMap {
      if case .askedAboutWrite(3, _, let done) = $0 { done } else { nil }
    }
    #expect(asked.count == 2)
    #expect(asked.allSatisfy { $0 > 0 })
  }

  @Test func aPartOfALongWriteIsToldOf() throws {
    let rig = try Rig()
    rig.socket.write(WritingTests.much, withTimeout: -1, tag: 3)
    let part = try rig.recorder.next("a part", of: rig.socket) {
      if case .wrotePart(let count, 3) = $0 { count } else { nil }
    }
    #expect(part > 0)
    var (tag, done, total) = (0, UInt(0), UInt(0))
    let progress = unsafe rig.socket.progressOfWrite(
      returningTag: &tag, bytesDone: &done, total: &total)
    #expect(progress > 0 && progress < 1)
    #expect(tag == 3 && done >= part && total == UInt(WritingTests.much.count))
    #expect(rig.peer.receive(WritingTests.much.count).count == WritingTests.much.count)
    try rig.recorder.wrote(rig.socket, tag: 3)
  }

  @Test func theHighWaterMarkTellsWhenTheSocketHasDrained() throws {
    let rig = try Rig()
    rig.socket.writeHighWaterMark = 1_000_000
    rig.socket.write(WritingTests.much, withTimeout: -1, tag: 1)
    #expect(rig.socket.bufferedBytes > 1_000_000)
    #expect(rig.socket.isAboveWriteHighWaterMark)
    #expect(rig.peer.receive(WritingTests.much.count).count == WritingTests.much.count)
    try rig.recorder.next("the drain", of: rig.socket) { if case .drained = $0 { () } else { nil } }
    #expect(!rig.socket.isAboveWriteHighWaterMark)
  }

  @Test func aRelayWithASlowClientKeepsEveryByte() throws {
    let recorder = Recorder()
    let pair = try SocketPair(recorder)
    let count = 8 * 1_048_576
    recorder.onEvent { socket, event in
      // The server gives everything back as it comes.
      guard case .read(let data, 1) = event else { return }
      socket.write(data, withTimeout: -1, tag: 2)
      socket.readData(withTimeout: -1, tag: 1)
    }
    pair.server.readData(withTimeout: -1, tag: 1)
    let sent = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 >> 8 &+ $0) })
    pair.client.write(sent, withTimeout: -1, tag: 3)
    pair.client.readData(toLength: UInt(count), withTimeout: -1, tag: 4)
    #expect(try recorder.read(pair.client, tag: 4) == sent)
  }

  /// The kernel tells of a reset once, and the write may be the one that it is told to.
  @Test("a write that meets a reset ends the connection with an error", arguments: 0..<30)
  func reset(_ attempt: Int) throws {
    let recorder = Recorder()
    let listener = recorder.socket()
    try listener.accept(onPort: 0)
    var peer: BlockingSocket? = try .connected(to: .ip(.loopback4, port: listener.localPort))
    let socket = try recorder.accepted()
    socket.readData(withTimeout: -1, tag: 0)
    peer?.resetOnClose()
    peer = nil
    for tag in 0..<attempt { socket.write(Data([1]), withTimeout: -1, tag: tag) }
    let error = try #require(try recorder.disconnected(socket))
    let isClosed =
      error.domain == GCDAsyncSocketErrorDomain
      && error.code == GCDAsyncSocketError.Code.closedError.rawValue
    #expect(!isClosed, "\(error)")
  }
}
