import CocoaAsyncSocket
import Foundation
import Kernel
import TestSupport
import Testing

@Suite("The end of a delegate's socket")
struct ClosingTests {
  typealias Rig = ReadingTests.Rig

  private static let megabyte = Data((0..<1_048_576).map { UInt8(truncatingIfNeeded: $0 / 7) })

  @Test func aMegabyteWrittenAndThenClosedArrives() throws {
    let rig = try Rig()
    rig.socket.write(ClosingTests.megabyte, withTimeout: -1, tag: 1)
    rig.socket.disconnectAfterWriting()
    let (bytes, end) = rig.peer.receiveAll()
    #expect(Data(bytes) == ClosingTests.megabyte)
    #expect(end == .endOfStream)
    #expect(try rig.recorder.disconnected(rig.socket) == nil)
  }

  @Test func aMegabyteArrivesAlthoughThePeerSendsMeanwhile() throws {
    let rig = try Rig()
    rig.recorder.onEvent { socket, event in
      if case .wrote(1) = event { socket.disconnect() }
    }
    try rig.peer.send([UInt8](repeating: 1, count: 100_000))
    rig.socket.write(ClosingTests.megabyte, withTimeout: -1, tag: 1)
    let (bytes, end) = rig.peer.receiveAll()
    #expect(Data(bytes) == ClosingTests.megabyte)
    #expect(end == .endOfStream)
    #expect(try rig.recorder.disconnected(rig.socket) == nil)
  }

  @Test func aSocketThatNobodyHoldsFinishesItsWrites() throws {
    let recorder = Recorder()
    let listener = recorder.socket()
    try listener.accept(onPort: 0)
    let peer = try BlockingSocket.connected(to: .ip(.loopback4, port: listener.localPort))
    do {
      let socket = try recorder.accepted()
      socket.write(ClosingTests.megabyte, withTimeout: -1, tag: 1)
      socket.disconnectAfterWriting()
    }
    let (bytes, end) = peer.receiveAll()
    #expect(Data(bytes) == ClosingTests.megabyte)
    #expect(end == .endOfStream)
  }

  @Test func aSocketThatNobodyHoldsIsClosed() throws {
    let rig: (BlockingSocket, GCDAsyncSocket) = try {
      let rig = try Rig()
      return (rig.peer, rig.listener)
    }()
    #expect(rig.0.receiveAll().end == .endOfStream)
  }

  @Test func disconnectAfterReadingWaitsForTheReads() throws {
    let rig = try Rig()
    rig.socket.readData(toLength: 3, withTimeout: -1, tag: 1)
    rig.socket.readData(toLength: 3, withTimeout: -1, tag: 2)
    rig.socket.disconnectAfterReading()
    // Turned away.
    rig.socket.readData(toLength: 3, withTimeout: -1, tag: 3)
    try rig.peer.send("abcdefghi")
    #expect(try rig.recorder.text(rig.socket, tag: 2) == "def")
    #expect(try rig.recorder.disconnected(rig.socket) == nil)
  }

  @Test func disconnectAfterBothWaitsForBoth() throws {
    let rig = try Rig()
    rig.socket.readData(toLength: 3, withTimeout: -1, tag: 1)
    rig.socket.write(Data("answer".utf8), withTimeout: -1, tag: 2)
    rig.socket.disconnectAfterReadingAndWriting()
    #expect(rig.peer.receive(6) == Array("answer".utf8))
    #expect(rig.socket.isConnected)
    try rig.peer.send("abc")
    #expect(try rig.recorder.text(rig.socket, tag: 1) == "abc")
    #expect(try rig.recorder.disconnected(rig.socket) == nil)
    #expect(rig.peer.receiveAll().end == .endOfStream)
  }

  @Test func thePeersLastPacketIsDeliveredBeforeTheEnd() throws {
    for _ in 0..<50 {
      let rig = try Rig()
      rig.socket.readData(withTimeout: -1, tag: 1)
      let peer = rig.peer
      try peer.send("first")
      #expect(try rig.recorder.text(rig.socket, tag: 1) == "first")
      try peer.send("last words")
      try peer.endStream()
      rig.socket.readData(toLength: 4, withTimeout: -1, tag: 2)
      rig.socket.readData(withTimeout: -1, tag: 3)
      #expect(try rig.recorder.text(rig.socket, tag: 2) == "last")
      #expect(try rig.recorder.text(rig.socket, tag: 3) == " words")
      let error = try #require(try rig.recorder.disconnected(rig.socket))
      #expect(error.code == GCDAsyncSocketError.closedError.rawValue)
    }
  }

  @Test func thePeersLastPacketIsDeliveredAlthoughAWriteFails() throws {
    for _ in 0..<20 {
      let recorder = Recorder()
      // Every read asks for the next one, as delegates do.
      recorder.onEvent { socket, event in
        if case .read = event { socket.readData(toLength: 1000, withTimeout: -1, tag: 1) }
      }
      let listener = recorder.socket()
      try listener.accept(onPort: 0)
      let socket: GCDAsyncSocket
      do {
        let peer = try BlockingSocket.connected(to: .ip(.loopback4, port: listener.localPort))
        socket = try recorder.accepted()
        try peer.send([UInt8](repeating: 7, count: 100_000))
      }
      // The peer is gone: the first write meets a reset, the next an error.
      for tag in 10..<20 { socket.write(Data("x".utf8), withTimeout: -1, tag: tag) }
      socket.readData(toLength: 1000, withTimeout: -1, tag: 1)
      _ = try recorder.disconnected(socket)
      _ = listener
      let count = recorder.left(of: socket).reduce(0) { count, event in
        if case .read(let data, 1) = event { count + data.count } else { count }
      }
      #expect(count == 100_000)
    }
  }

  @Test func aWriterThatNeverReadsHearsOfTheEnd() throws {
    let rig = try Rig()
    try rig.peer.send("nobody reads this")
    rig.peer.resetOnClose()
    rig.recorder.onEvent { socket, event in
      if case .wrote = event { socket.write(Data("x".utf8), withTimeout: -1, tag: 0) }
    }
    rig.socket.write(Data("x".utf8), withTimeout: -1, tag: 0)
    _ = rig.peer.receive(1)
    try rig.peer.endStream()
    rig.socket.disconnect()
    #expect(try rig.recorder.disconnected(rig.socket) == nil)
  }

  @Test func halfCloseIsAStateAndWritesGoOn() throws {
    let rig = try Rig()
    rig.socket.autoDisconnectOnClosedReadStream = false
    rig.socket.readData(toLength: 5, withTimeout: -1, tag: 1)
    try rig.peer.send("last!")
    try rig.peer.endStream()
    #expect(try rig.recorder.text(rig.socket, tag: 1) == "last!")
    try rig.recorder.next("the end of the stream", of: rig.socket) {
      if case .readStreamClosed = $0 { () } else { nil }
    }
    #expect(rig.socket.isConnected)
    rig.socket.write(Data("still here".utf8), withTimeout: -1, tag: 2)
    try rig.recorder.wrote(rig.socket, tag: 2)
    #expect(rig.peer.receive(10) == Array("still here".utf8))
    rig.socket.disconnectAfterWriting()
    #expect(try rig.recorder.disconnected(rig.socket) == nil)
  }

  @Test func aResetOfAHalfClosedConnectionIsToldOf() throws {
    let recorder = Recorder()
    let listener = recorder.socket()
    try listener.accept(onPort: 0)
    let socket: GCDAsyncSocket
    do {
      let peer = try BlockingSocket.connected(to: .ip(.loopback4, port: listener.localPort))
      socket = try recorder.accepted()
      socket.autoDisconnectOnClosedReadStream = false
      try peer.endStream()
      try recorder.next("the end of the stream", of: socket) {
        if case .readStreamClosed = $0 { () } else { nil }
      }
      peer.resetOnClose()
    }
    let error = try #require(try recorder.disconnected(socket))
    #expect(error.domain == NSPOSIXErrorDomain)
    #expect(error.code == Int(Errno.connectionReset.rawValue) || error.code == 32)
  }

  @Test func anAnswerIsWrittenAlthoughThePeerHasEndedItsStream() throws {
    let rig = try Rig()
    rig.recorder.onEvent { socket, event in
      guard case .read = event else { return }
      socket.write(ClosingTests.megabyte, withTimeout: -1, tag: 2)
      socket.disconnectAfterWriting()
    }
    rig.socket.readData(toLength: 7, withTimeout: -1, tag: 1)
    try rig.peer.send("request")
    let (bytes, end) = rig.peer.receiveAll()
    #expect(bytes.count == ClosingTests.megabyte.count)
    #expect(end == .endOfStream)
  }

  @Test func abortResetsTheConnection() throws {
    let rig = try Rig()
    rig.socket.abort()
    #expect(rig.peer.receiveAll().end == .reset)
    #expect(try rig.recorder.disconnected(rig.socket) == nil)
  }

  @Test func nothingComesAfterTheEnd() throws {
    for _ in 0..<100 {
      let rig = try Rig()
      let order = Lock<[Bool]>([])
      rig.recorder.onEvent { _, event in
        let isEnd = if case .disconnected = event { true } else { false }
        order.withLock { $0.append(isEnd) }
      }
      for tag in 0..<20 { rig.socket.readData(toLength: 1, withTimeout: -1, tag: tag) }
      try rig.peer.send("abcdefghij")
      rig.socket.disconnect()
      try rig.recorder.disconnected(rig.socket)
      rig.recorder.settle()
      #expect(order.withLock { $0.firstIndex(of: true) == $0.count - 1 })
    }
  }

  @Test func oneEndIsToldHoweverOftenItIsAskedFor() throws {
    let rig = try Rig()
    for _ in 0..<10 { rig.socket.disconnect() }
    try rig.recorder.disconnected(rig.socket)
    rig.recorder.settle()
    #expect(rig.recorder.left(of: rig.socket).isEmpty)
  }
}
