import Kernel
import TestSupport
import Testing

/// What every face of the library does in the same way.
@Suite(.timeLimit(.minutes(1))) struct FaceTests {
  /// A face and, at the other end, a plain socket.
  private func pair(
    _ kind: FaceKind
  ) async throws -> (face: any Face, peer: PlayedSocket) {
    let listener = try PlayedSocket.listening()
    let port = try listener.address.port ?? 0
    async let accepted = listener.accept()
    let face = try await kind.connect(to: port)
    return (face, try await accepted)
  }

  private func bytes(_ count: Int, seed: UInt64) -> [UInt8] {
    var generator = Seeded(seed)
    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }

  private func segments(_ all: [UInt8], seed: UInt64) -> [[UInt8]] {
    var generator = Seeded(seed)
    var rest = all[...]
    var segments: [[UInt8]] = []
    while !rest.isEmpty {
      let count = min(rest.count, Int.random(in: 1...9000, using: &generator))
      segments.append(Array(rest.prefix(count)))
      rest = rest.dropFirst(count)
    }
    return segments
  }

  @Test("bytes arrive in order in segments of any size", arguments: FaceKind.allCases, [1, 2, 3])
  func order(_ kind: FaceKind, _ seed: UInt64) async throws {
    let (face, peer) = try await pair(kind)
    let all = bytes(200_000, seed: seed)
    async let atPeer = peer.receiveAll(limit: all.count)
    for segment in segments(all, seed: seed + 10) { try await face.send(segment) }
    #expect(try await atPeer.bytes == all)
    async let atFace = face.receive(exactly: all.count)
    for segment in segments(all, seed: seed + 20) { try await peer.send(segment) }
    #expect(try await atFace == all)
    await face.close()
    #expect(try await peer.receiveAll().end == .endOfStream)
  }

  @Test("bytes of value zero are bytes", arguments: FaceKind.allCases)
  func zeros(_ kind: FaceKind) async throws {
    let (face, peer) = try await pair(kind)
    let zeros = [UInt8](repeating: 0, count: 1000)
    try await face.send(zeros)
    #expect(try await peer.receiveAll(limit: 1000).bytes == zeros)
    try await peer.send(zeros)
    #expect(try await face.receive(exactly: 1000) == zeros)
    await face.close()
  }

  @Test("the last packet of a peer that closes is delivered", arguments: FaceKind.allCases)
  func lastPacket(_ kind: FaceKind) async throws {
    let listener = try PlayedSocket.listening()
    let port = try listener.address.port ?? 0
    let all = bytes(100_000, seed: 7)
    // The peer is gone when this returns: nothing holds its socket any more.
    async let sent: Void = try await listener.accept().send(all)
    let face = try await kind.connect(to: port)
    try await sent
    #expect(try await face.receiveToEnd() == all)
    await face.close()
  }

  @Test("a megabyte that was sent before the close arrives", arguments: FaceKind.allCases)
  func sentAndClosed(_ kind: FaceKind) async throws {
    let (face, peer) = try await pair(kind)
    let all = bytes(1_048_576, seed: 8)
    async let atPeer = peer.receiveAll()
    try await face.send(all)
    await face.close()
    let (received, end) = try await atPeer
    #expect(received == all)
    #expect(end == .endOfStream)
  }

  @Test("one direction may end before the other", arguments: FaceKind.halfClosing)
  func halfClose(_ kind: FaceKind) async throws {
    let (face, peer) = try await pair(kind)
    try await face.send(Array("question".utf8))
    try await face.endStream()
    let (question, end) = try await peer.receiveAll()
    #expect(question == Array("question".utf8))
    #expect(end == .endOfStream)
    let answer = bytes(200_000, seed: 9)
    async let atFace = face.receive(exactly: answer.count)
    try await peer.send(answer)
    #expect(try await atFace == answer)
    await face.close()
  }

  @Test("a reset is an error and no end of stream", arguments: FaceKind.allCases)
  func reset(_ kind: FaceKind) async throws {
    let listener = try PlayedSocket.listening()
    let port = try listener.address.port ?? 0
    // As with the last packet: whoever holds the peer's socket keeps it open.
    async let isReset: Void = resetAfterOne(listener)
    let face = try await kind.connect(to: port)
    try await face.send([1])
    try await isReset
    await #expect(throws: (any Error).self) { try await face.receiveToEnd() }
    await face.close()
  }

  private func resetAfterOne(_ listener: PlayedSocket) async throws {
    let peer = try await listener.accept()
    _ = try await peer.receiveAll(limit: 1)
    peer.socket.resetOnClose()
  }

  @Test("a refused connection is an error", arguments: FaceKind.allCases)
  func refused(_ kind: FaceKind) async throws {
    // Free a moment ago, and nobody listens there.
    let port = try PlayedSocket.listening().address.port ?? 0
    await #expect(throws: (any Error).self) {
      let face = try await kind.connect(to: port)
      _ = try await face.receiveToEnd()
    }
  }

  @Test("a hundred connections at once leave no descriptor", arguments: FaceKind.allCases)
  func many(_ kind: FaceKind) async throws {
    let growth = DescriptorGrowth()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for seed in 0..<100 {
        group.addTask { try await exchange(kind, UInt64(seed)) }
        // As many at a time as there may be threads that wait.
        if seed >= 16 { try await group.next() }
      }
      try await group.waitForAll()
    }
    #expect(growth.isAbout(0))
  }

  private func exchange(_ kind: FaceKind, _ seed: UInt64) async throws {
    let (face, peer) = try await pair(kind)
    let all = bytes(20_000, seed: seed)
    async let echoed: Void = echo(peer, all.count)
    for segment in segments(all, seed: seed) { try await face.send(segment) }
    #expect(try await face.receive(exactly: all.count) == all)
    try await echoed
    await face.close()
    #expect(try await peer.receiveAll().end == .endOfStream)
  }

  private func echo(_ peer: PlayedSocket, _ count: Int) async throws {
    try await peer.send(try await peer.receiveAll(limit: count).bytes)
  }
}
