import Kernel
import Sockets
import TestSupport
import Testing

/// What a connection sends and how it ends, played against a plain socket.
@Suite struct SendingTests {
  @Test("A megabyte sent and then closed arrives, although the peer's bytes were never read")
  func closesWithoutLoss() async throws {
    let played = try await PlayedConnection.make()
    let bytes = patterned(1_000_000)
    try await played.peer.send([UInt8](repeating: 1, count: 100_000))
    let sending = Task {
      try await played.connection.send(bytes)
      await played.connection.close()
    }
    let received = try await played.peer.receiveAll()
    try await sending.value
    #expect(received.bytes == bytes)
    #expect(received.end == .endOfStream)
  }

  @Test("A send waits for a peer that does not read")
  func backPressure() async throws {
    let played = try await PlayedConnection.make()
    let bytes = patterned(20_000_000)
    await #expect(throws: SocketError.timedOut(.sending)) {
      try await played.connection.send(bytes, timeout: .milliseconds(50))
    }
    await #expect(throws: SocketError.timedOut(.sending), "nothing follows the gap") {
      try await played.connection.send([1])
    }
    let sent = await played.connection.counters.sent
    #expect(sent > 0 && sent < 20_000_000)
  }

  @Test("An end of stream leaves the other direction open")
  func halfClose() async throws {
    let played = try await PlayedConnection.make()
    try await played.connection.send(Array("question".utf8), endOfStream: true)
    #expect(try await played.peer.receiveAll() == (Array("question".utf8), .endOfStream))
    try await played.peer.send("answer")
    try played.peer.endStream()
    #expect(try await played.connection.receive(exactly: 6) == Array("answer".utf8))
    #expect(try await played.connection.receive(atMost: 1) == [])
    await #expect(throws: SocketError.closed) { try await played.connection.send([1]) }
  }

  @Test("Nothing but an end of stream can be sent")
  func onlyEnd() async throws {
    let played = try await PlayedConnection.make()
    try await played.connection.send([], endOfStream: true)
    #expect(try await played.peer.receiveAll() == ([], .endOfStream))
  }

  @Test("An abort is a reset for the peer")
  func abort() async throws {
    let played = try await PlayedConnection.make()
    await played.connection.abort()
    #expect(try await played.peer.receiveAll() == ([], .reset))
    await #expect(throws: SocketError.closed) { try await played.connection.receive(atMost: 1) }
    await #expect(throws: SocketError.closed) { try await played.connection.send([1]) }
  }

  @Test("A close ends a receive that waits")
  func closeWhileReceiving() async throws {
    let played = try await PlayedConnection.make()
    let receiving = Task { try await played.connection.receive(exactly: 1) }
    await Task.yield()
    await played.connection.close()
    await #expect(throws: SocketError.closed) { try await receiving.value }
    #expect(try await played.peer.receiveAll() == ([], .endOfStream))
  }

  @Test("A second close ends with the first")
  func closesTwice() async throws {
    let played = try await PlayedConnection.make()
    await played.connection.close()
    await played.connection.close()
    await played.connection.abort()
  }

  @Test("A connection that nobody holds is closed, and what was sent arrives")
  func letGo() async throws {
    let listening = try PlayedSocket.listening()
    let address = try listening.address
    let sending = Task {
      let connection = try await Connection.connect(to: address)
      try await connection.send(patterned(300_000))
    }
    let peer = try await listening.accept()
    #expect(try await peer.receiveAll() == (patterned(300_000), .endOfStream))
    try await sending.value
  }

  @Test("The last packet of a peer that closes is read after a send has failed")
  func lastPacket() async throws {
    let played = try await PlayedConnection.make()
    try await played.peer.send("last words")
    try played.peer.endStream()
    // The end has been read before anything is sent: writing goes on failing or not, reading works.
    try? await played.connection.send(patterned(100))
    #expect(try await played.connection.receive(exactly: 10) == Array("last words".utf8))
  }

  @Test("Sends of several tasks do not mix")
  func inLine() async throws {
    let played = try await PlayedConnection.make()
    let sending = Task {
      await withTaskGroup(of: Void.self) { group in
        for value in 0..<8 {
          group.addTask {
            try? await played.connection.send([UInt8](repeating: UInt8(value), count: 400_000))
          }
        }
      }
      try await played.connection.send([], endOfStream: true)
    }
    let received = try await played.peer.receiveAll().bytes
    try await sending.value
    #expect(received.count == 3_200_000)
    for start in stride(from: 0, to: received.count, by: 400_000) {
      let piece = received[start..<start + 400_000]
      #expect(piece.allSatisfy { $0 == piece.first })
    }
  }
}
