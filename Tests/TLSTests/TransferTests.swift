import Kernel
import TLS
import TestSupport
import Testing

@Suite("Plaintext")
struct TransferTests {
  let rig = Rig()

  private func pair(_ version: TLSVersion, seed: UInt64 = 1) throws -> EnginePair {
    try EnginePair.established(
      rig.client { $0.maximumVersion = version }, rig.server(), seed: seed)
  }

  private func bytes(_ count: Int, _ seed: UInt64) -> [UInt8] {
    var random = Seeded(seed)
    return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
  }

  @Test("every size arrives whole, both ways", arguments: HandshakeTests.versions)
  func everySizeArrives(_ version: TLSVersion) throws {
    let pair = try pair(version)
    for size in [0, 1, 2, 1000, 16_383, 16_384, 16_385, 32_768, 65_535, 65_536, 70_000] {
      let sent = bytes(size, UInt64(size))
      #expect(pair.transfer(sent, from: pair.client, to: pair.server) == sent)
      #expect(pair.transfer(sent, from: pair.server, to: pair.client) == sent)
    }
  }

  @Test("a megabyte each way arrives whole, however it is cut", arguments: HandshakeTests.versions)
  func megabyteArrives(_ version: TLSVersion) throws {
    let pair = try pair(version, seed: 5)
    var random = Seeded(9)
    let sent = bytes(1 << 20, 3)
    var (written, atServer, atClient): (Int, [UInt8], [UInt8]) = (0, [], [])
    while atServer.count < sent.count || atClient.count < sent.count {
      if written < sent.count {
        let part = Array(sent[written...].prefix(Int.random(in: 1...50_000, using: &random)))
        #expect(pair.client.write(part) == .moved(part.count))
        #expect(pair.server.write(part) == .moved(part.count))
        written += part.count
      }
      let isMoving = pair.carry()
      atServer += pair.server.readAll(size: Int.random(in: 1...30_000, using: &random)).0
      atClient += pair.client.readAll().0
      guard isMoving || written < sent.count else { break }
    }
    #expect(atServer == sent)
    #expect(atClient == sent)
  }

  @Test("one read gives all that has come, not a record's worth")
  func readGivesAll() throws {
    let pair = try pair(.v1_3)
    let sent = bytes(50_000, 1)
    #expect(pair.client.write(sent) == .moved(50_000))
    pair.server.feed(pair.client.output())
    var room = [UInt8](repeating: 0, count: 60_000)
    #expect(room.withRoom { pair.server.read(into: &$0) } == .moved(50_000))
    #expect(room.withRoom { pair.server.read(into: &$0) } == .wantsInput)
    #expect(Array(room[..<50_000]) == sent)
  }

  @Test("the end in good order ends one direction only", arguments: HandshakeTests.versions)
  func endEndsOneDirection(_ version: TLSVersion) throws {
    let pair = try pair(version)
    #expect(pair.client.write([1, 2, 3]) == .moved(3))
    pair.client.endOutput()
    pair.client.endOutput()
    while pair.carry() {}
    pair.server.feedEnd()
    let (received, end) = pair.server.readAll()
    #expect(received == [1, 2, 3])
    #expect(end == .ended)
    #expect(pair.server.readAll().1 == .ended)
    #expect(pair.transfer([4, 5], from: pair.server, to: pair.client) == [4, 5])
    pair.server.endOutput()
    while pair.carry() {}
    #expect(pair.client.readAll().1 == .ended)
  }

  @Test("a connection cut off is no end, wherever it is cut", arguments: HandshakeTests.versions)
  func truncationIsNoEnd(_ version: TLSVersion) throws {
    let pair = try pair(version)
    #expect(pair.client.write([1, 2, 3]) == .moved(3))
    pair.client.endOutput()
    let stream = pair.client.output()
    for cut in [0, 1, 4, 5, stream.count - 1] {
      let pair = try self.pair(version)
      #expect(pair.client.write([1, 2, 3]) == .moved(3))
      pair.client.endOutput()
      let stream = pair.client.output()
      pair.server.feed(Array(stream[..<cut]))
      pair.server.feedEnd()
      let (received, end) = pair.server.readAll()
      #expect(received == (cut > 20 ? [1, 2, 3] : []))
      #expect(end == .failed(.truncated))
      #expect(pair.server.readAll().1 == .failed(.truncated))
    }
  }

  @Test(
    "a changed byte anywhere is never taken for what was sent", arguments: HandshakeTests.versions)
  func changedBytesAreNoticed(_ version: TLSVersion) throws {
    var random = Seeded(77)
    for _ in 0..<60 {
      let pair = try pair(version)
      #expect(pair.client.write([1, 2, 3, 4]) == .moved(4))
      var stream = pair.client.output()
      let place = Int.random(in: stream.indices, using: &random)
      stream[place] ^= UInt8.random(in: 1...255, using: &random)
      pair.server.feed(stream)
      pair.server.feedEnd()
      let (received, end) = pair.server.readAll()
      #expect(received.isEmpty, "place \(place)")
      guard case .failed = end else {
        Issue.record("place \(place) was changed: \(end)")
        continue
      }
    }
  }

  @Test(
    "garbage at any place of a handshake fails it and nothing else",
    arguments: HandshakeTests.versions)
  func garbageFailsTheHandshake(_ version: TLSVersion) throws {
    let client = try rig.client { $0.maximumVersion = version }
    let server = try rig.server()
    var random = Seeded(5)
    var intact = 0
    for seed in 0..<150 as Range<UInt64> {
      let pair = try EnginePair(client, server)
      var hello = { () -> [UInt8] in
        _ = pair.client.handshake()
        return pair.client.output()
      }()
      let isServers = random.chance(50)
      if !isServers { EnginePair.spoil(&hello, &random) }
      pair.server.feed(hello)
      _ = pair.server.handshake()
      var answer = pair.server.output()
      if isServers { EnginePair.spoil(&answer, &random) }
      pair.client.feed(answer)
      _ = pair.client.handshake()
      // A few bytes of record headers mean nothing; where any other was changed, it is noticed.
      guard pair.handshake() == .init(client: .done, server: .done) else { continue }
      let received = pair.transfer([1, 2, 3], from: pair.client, to: pair.server)
      #expect(received == [1, 2, 3], "seed \(seed)")
      intact += 1
    }
    #expect(intact < 15)
  }

  @Test("steady transfer allocates nothing in Swift")
  func steadyTransferAllocatesNothing() throws {
    guard Allocations.areCounted else { return }
    let pair = try pair(.v1_3)
    let sent = bytes(10_000, 1)
    var wire = [UInt8](repeating: 0, count: 65_536)
    var room = [UInt8](repeating: 0, count: 65_536)
    func round() {
      _ = pair.client.write(sent.span.octets)
      let count = wire.withRoom { pair.client.takeOutput(into: &$0) }
      pair.server.feed(wire.span.extracting(0..<count).octets)
      _ = room.withRoom { pair.server.read(into: &$0) }
    }
    for _ in 0..<10 { round() }
    // OpenSSL 3.0 itself makes and frees three for a record that it writes and one for one that it
    // reads, which a program in C without any Swift shows too.
    let count = Allocations.during { for _ in 0..<100 { round() } }
    #expect(count <= 4 * 100)
  }
}

extension EnginePair {
  /// Changes a byte, or drops or doubles some.
  static func spoil(_ bytes: inout [UInt8], _ random: inout Seeded) {
    let place = Int.random(in: bytes.indices, using: &random)
    switch Int.random(in: 0..<3, using: &random) {
    case 0: bytes[place] ^= UInt8.random(in: 1...255, using: &random)
    case 1: bytes.removeSubrange(place...min(place + 3, bytes.count - 1))
    default: bytes.insert(contentsOf: bytes[place...].prefix(4), at: place)
    }
  }
}
