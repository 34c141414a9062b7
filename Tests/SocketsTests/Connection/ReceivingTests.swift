import Kernel
import Sockets
import TestSupport
import Testing

/// What a connection receives, played against a plain socket.
@Suite struct ReceivingTests {
  @Test("A receive takes what is there and no more than was asked for")
  func takesWhatIsThere() async throws {
    let played = try await PlayedConnection.make()
    try await played.peer.send([1, 2, 3, 4, 5])
    #expect(try await played.connection.receive(atMost: 3) == [1, 2, 3])
    #expect(try await played.connection.receive(atMost: 10) == [4, 5])
  }

  @Test("An exact receive waits for its last byte, in whatever pieces it comes", arguments: 0..<20)
  func exact(seed: UInt64) async throws {
    var random = Seeded(seed)
    let played = try await PlayedConnection.make()
    let bytes = patterned(5000)
    let received = Task { try await played.connection.receive(exactly: 5000) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = rest.prefix(Int.random(in: 1...900, using: &random))
      rest = rest.dropFirst(piece.count)
      try await played.peer.send(Array(piece))
      await Task.yield()
    }
    #expect(try await received.value == bytes, "seed \(seed)")
  }

  @Test("Lines are found wherever the pieces end", arguments: 0..<20)
  func lines(seed: UInt64) async throws {
    var random = Seeded(seed)
    let played = try await PlayedConnection.make()
    let lines = (0..<60).map { number in
      patterned(number).map { $0 == 13 ? 14 : $0 } + [13, 10]
    }
    let received = Task {
      var lines: [[UInt8]] = []
      while lines.count < 60 {
        lines.append(try await played.connection.receive(until: [13, 10], limit: 100))
      }
      return lines
    }
    var rest = lines.flatMap { $0 }[...]
    while !rest.isEmpty {
      let piece = rest.prefix(Int.random(in: 1...40, using: &random))
      rest = rest.dropFirst(piece.count)
      try await played.peer.send(Array(piece))
      await Task.yield()
    }
    #expect(try await received.value == lines, "seed \(seed)")
  }

  @Test("A delimiter beyond the limit is an error that takes nothing")
  func delimiterLimit() async throws {
    let played = try await PlayedConnection.make()
    try await played.peer.send("longer than five\n")
    await #expect(throws: SocketError.delimiterNotFound(limit: 5)) {
      try await played.connection.receive(until: [10], limit: 5)
    }
    #expect(
      try await played.connection.receive(until: [10], limit: 100)
        == Array("longer than five\n".utf8))
  }

  @Test("A delimiter that ends exactly at the limit is found")
  func delimiterAtLimit() async throws {
    let played = try await PlayedConnection.make()
    try await played.peer.send("abc\ndef")
    #expect(try await played.connection.receive(until: [10], limit: 4) == Array("abc\n".utf8))
  }

  @Test("Too little before the end is an error, and what came stays")
  func endOfStream() async throws {
    let played = try await PlayedConnection.make()
    try await played.peer.send([7, 8])
    try played.peer.endStream()
    await #expect(throws: SocketError.endOfStream(received: 2)) {
      try await played.connection.receive(exactly: 3)
    }
    #expect(try await played.connection.receive(atMost: 10) == [7, 8])
    #expect(try await played.connection.receive(atMost: 10) == [])
    #expect(try await played.connection.receive(atMost: 10) == [], "the end is told again")
  }

  @Test("A cancelled receive loses no byte")
  func cancellation() async throws {
    let played = try await PlayedConnection.make()
    let receiving = Task { try await played.connection.receive(exactly: 4) }
    try await played.peer.send([1, 2])
    // The two bytes are taken in by the receive that is cancelled then.
    while await played.connection.counters.received < 2 { await Task.yield() }
    receiving.cancel()
    await #expect(throws: SocketError.cancelled) { try await receiving.value }
    try await played.peer.send([3, 4])
    #expect(try await played.connection.receive(exactly: 4) == [1, 2, 3, 4])
  }

  @Test("A receive whose time is over fails alone")
  func timeout() async throws {
    let played = try await PlayedConnection.make()
    await #expect(throws: SocketError.timedOut(.receiving)) {
      try await played.connection.receive(exactly: 1, timeout: .milliseconds(5))
    }
    try await played.peer.send([9])
    #expect(try await played.connection.receive(exactly: 1) == [9])
  }

  @Test("Receives of several tasks come one after the other")
  func inLine() async throws {
    let played = try await PlayedConnection.make()
    let pieces = await withTaskGroup(of: [UInt8].self) { group in
      for _ in 0..<10 {
        group.addTask { (try? await played.connection.receive(exactly: 100)) ?? [] }
      }
      let bytes = patterned(1000)
      try? await played.peer.send(bytes)
      return await group.reduce(into: [[UInt8]]()) { $0.append($1) }
    }
    let expected = (0..<10).map { Array(patterned(1000)[$0 * 100..<$0 * 100 + 100]) }
    #expect(Set(pieces) == Set(expected))
  }

  @Test("A receive into a buffer fills its beginning")
  func intoBuffer() async throws {
    let played = try await PlayedConnection.make()
    var buffer = [UInt8](repeating: 0xff, count: 4)
    try await played.peer.send([1, 2])
    #expect(try await played.connection.receive(into: &buffer) == 2)
    #expect(buffer == [1, 2, 0xff, 0xff])
    try await played.peer.send([3, 4, 5])
    #expect(try await played.connection.receive(into: &buffer, atLeast: 3) == 3)
    #expect(buffer == [3, 4, 5, 0xff])
    try played.peer.endStream()
    #expect(try await played.connection.receive(into: &buffer) == 0)
  }

  @Test("A reset comes after the bytes before it")
  func reset() async throws {
    let listening = try PlayedSocket.listening()
    let connection = try await Connection.connect(to: try listening.address)
    do {
      let peer = try await listening.accept()
      try await peer.send([1, 2, 3])
      #expect(try await connection.receive(exactly: 3) == [1, 2, 3])
      peer.socket.resetOnClose()
    }
    await #expect(throws: SocketError.reset(.connectionReset)) {
      try await connection.receive(atMost: 1)
    }
  }

  @Test("Arguments that cannot be are refused by what they are")
  func arguments() async throws {
    let played = try await PlayedConnection.make()
    let connection = played.connection
    await #expect(throws: SocketError.self) { try await connection.receive(exactly: -1) }
    await #expect(throws: SocketError.self) { try await connection.receive(atLeast: 2, atMost: 1) }
    await #expect(throws: SocketError.self) { try await connection.receive(until: [], limit: 9) }
    await #expect(throws: SocketError.self) {
      try await connection.receive(until: [1, 2], limit: 1)
    }
    var none: [UInt8] = []
    await #expect(throws: SocketError.self) { try await connection.receive(into: &none) }
    #expect(try await connection.receive(exactly: 0) == [])
  }
}
