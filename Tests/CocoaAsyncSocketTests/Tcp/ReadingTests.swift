import CocoaAsyncSocket
import Foundation
import Kernel
import TestSupport
import Testing

@Suite("Reading by a delegate's socket")
struct ReadingTests {
  /// A socket under test and a plain peer.
  struct Rig {
    let recorder = Recorder()
    let listener: GCDAsyncSocket
    let socket: GCDAsyncSocket
    let peer: BlockingSocket

    init() throws {
      listener = recorder.socket()
      try listener.accept(onPort: 0)
      peer = try BlockingSocket.connected(to: .ip(.loopback4, port: listener.localPort))
      socket = try recorder.accepted()
    }
  }

  @Test func readsOfEveryKindCutOneStream() throws {
    let rig = try Rig()
    rig.socket.readData(to: GCDAsyncSocket.crlfData(), withTimeout: -1, tag: 1)
    rig.socket.readData(toLength: 5, withTimeout: -1, tag: 2)
    rig.socket.readData(to: Data("||".utf8), withTimeout: -1, maxLength: 4, tag: 3)
    rig.socket.readData(withTimeout: -1, buffer: nil, bufferOffset: 0, maxLength: 2, tag: 4)
    rig.socket.readData(withTimeout: -1, tag: 5)
    try rig.peer.send("line\r\nfiveXab||123")
    #expect(try rig.recorder.text(rig.socket, tag: 1) == "line\r\n")
    #expect(try rig.recorder.text(rig.socket, tag: 2) == "fiveX")
    #expect(try rig.recorder.text(rig.socket, tag: 3) == "ab||")
    #expect(try rig.recorder.text(rig.socket, tag: 4) == "12")
    #expect(try rig.recorder.text(rig.socket, tag: 5) == "3")
  }

  @Test func aSeparatorThatDoesNotComeWithinItsLimitClosesTheConnection() throws {
    let rig = try Rig()
    rig.socket.readData(to: GCDAsyncSocket.lfData(), withTimeout: -1, maxLength: 4, tag: 1)
    try rig.peer.send("abcd\n")
    let error = try #require(try rig.recorder.disconnected(rig.socket))
    #expect(error.domain == GCDAsyncSocketErrorDomain)
    #expect(error.code == GCDAsyncSocketError.readMaxedOutError.rawValue)
  }

  @Test func aBufferGetsTheBytesAtItsOffsetAndGrows() throws {
    let rig = try Rig()
    let buffer = NSMutableData(data: Data("....".utf8))
    rig.socket.readData(toLength: 6, withTimeout: -1, buffer: buffer, bufferOffset: 2, tag: 1)
    try rig.peer.send("sixsix")
    #expect(try rig.recorder.text(rig.socket, tag: 1) == "sixsix")
    #expect(Data(referencing: buffer) == Data("..sixsix".utf8))
    rig.socket.readData(withTimeout: -1, buffer: buffer, bufferOffset: 9, tag: 2)
    try rig.recorder.next("the refusal", of: rig.socket) {
      if case .failedRead(2, _) = $0 { () } else { nil }
    }
    #expect(rig.socket.isConnected)
  }

  @Test func whatIsNothingIsIgnoredAndWhatIsWrongIsToldOf() throws {
    let rig = try Rig()
    rig.socket.readData(toLength: 0, withTimeout: -1, tag: 1)
    rig.socket.write(nil, withTimeout: -1, tag: 2)
    rig.socket.write(Data(), withTimeout: -1, tag: 3)
    rig.socket.readData(to: Data(), withTimeout: -1, tag: 4)
    rig.socket.readData(to: Data("abc".utf8), withTimeout: -1, maxLength: 2, tag: 5)
    rig.socket.readData(toLength: 2, withTimeout: -1, tag: 6)
    try rig.peer.send("ok")
    #expect(try rig.recorder.text(rig.socket, tag: 6) == "ok")
    let failed = rig.recorder.left(of: rig.socket).compactMap {
      if case .failedRead(let tag, _) = $0 { tag } else { nil }
    }
    #expect(failed == [4, 5])
  }

  @Test func aPartOfALongReadIsToldOf() throws {
    let rig = try Rig()
    rig.socket.readData(toLength: 10, withTimeout: -1, tag: 1)
    try rig.peer.send("four")
    let part = try rig.recorder.next("a part", of: rig.socket) {
      if case .readPart(let count, 1) = $0 { count } else { nil }
    }
    #expect(part == 4)
    var (tag, done, total) = (0, UInt(0), UInt(0))
    let progress = unsafe rig.socket.progressOfRead(
      returningTag: &tag, bytesDone: &done, total: &total)
    #expect(progress == 0.4)
    #expect((tag, done, total) == (1, 4, 10))
    try rig.peer.send("sixsix")
    #expect(try rig.recorder.read(rig.socket, tag: 1).count == 10)
    let without = unsafe rig.socket.progressOfRead(returningTag: nil, bytesDone: nil, total: nil)
    #expect(without.isNaN)
  }

  @Test func operationsOfASocketThatIsNotConnectedFail() throws {
    let recorder = Recorder()
    let socket = recorder.socket()
    socket.readData(withTimeout: -1, tag: 1)
    socket.write(Data([1]), withTimeout: -1, tag: 2)
    try recorder.next("the read's failure") { if case .failedRead(1, _) = $0 { () } else { nil } }
    try recorder.next("the write's failure") { if case .failedWrite(2, _) = $0 { () } else { nil } }
  }

  @Test func aReadWhoseTimeIsOverClosesTheConnection() throws {
    let rig = try Rig()
    rig.recorder.extend(by: [0.01, 0.01])
    rig.socket.readData(toLength: 10, withTimeout: 0.02, tag: 7)
    try rig.peer.send("abc")
    let error = try #require(try rig.recorder.disconnected(rig.socket))
    #expect(error.code == GCDAsyncSocketError.readTimeoutError.rawValue)
    let asked = rig.recorder.left(of: rig.socket).compactMap {
      if case .askedAboutRead(7, let elapsed, _) = $0 { elapsed } else { nil }
    }
    #expect(asked.count == 3)
    #expect(zip(asked, [0.02, 0.03, 0.04]).allSatisfy { abs($0 - $1) < 1e-6 })
  }

  @Test func aReadThatGetsMoreTimeCompletes() throws {
    let rig = try Rig()
    rig.recorder.extend(by: [60])
    rig.socket.readData(toLength: 6, withTimeout: 0.01, tag: 1)
    try rig.peer.send("abc")
    let done = try rig.recorder.next("the question", of: rig.socket) {
      if case .askedAboutRead(1, _, let done) = $0 { done } else { nil }
    }
    #expect(done <= 3)
    try rig.peer.send("def")
    #expect(try rig.recorder.text(rig.socket, tag: 1) == "abcdef")
  }

  @Test func onlyTheReadFailsWhereTheSocketSaysSo() throws {
    let rig = try Rig()
    rig.socket.disconnectsOnReadTimeout = false
    rig.socket.readData(toLength: 6, withTimeout: 0.05, tag: 1)
    try rig.peer.send("abc")
    try rig.recorder.next("the failure", of: rig.socket) {
      if case .failedRead(1, let error) = $0 {
        #expect((error as? GCDAsyncSocketError)?.code == .readTimeoutError)
        return ()
      }
      return nil
    }
    rig.socket.readData(toLength: 6, withTimeout: -1, tag: 2)
    try rig.peer.send("def")
    #expect(try rig.recorder.text(rig.socket, tag: 2) == "abcdef")
  }

  @Test func anAnswerThatComesWhenTheConnectionIsOverIsIgnored() throws {
    let rig = try Rig()
    rig.recorder.onEvent { socket, event in
      if case .askedAboutRead = event { socket.disconnect() }
    }
    rig.recorder.extend(by: [5])
    rig.socket.readData(toLength: 6, withTimeout: 0, tag: 1)
    #expect(try rig.recorder.disconnected(rig.socket) == nil)
  }

  @Test func aLongLineIsReadAcrossManySegments() throws {
    let rig = try Rig()
    rig.socket.readData(to: GCDAsyncSocket.crlfData(), withTimeout: -1, tag: 1)
    rig.socket.readData(to: GCDAsyncSocket.crlfData(), withTimeout: -1, tag: 2)
    let long = [UInt8](repeating: 13, count: 300_000)
    try rig.peer.send(long + [10] + Array("next\r\n".utf8))
    #expect(try rig.recorder.read(rig.socket, tag: 1).count == 300_001)
    #expect(try rig.recorder.text(rig.socket, tag: 2) == "next\r\n")
  }
}
