import Kernel
import TLS
import TestSupport
import Testing

/// Two engines and the wire between them, which cuts what they say into pieces.
final class EnginePair {
  /// How far both sides came.
  struct Outcome: Equatable {
    var client: TLSEngine.Progress
    var server: TLSEngine.Progress
  }

  let client: TLSEngine
  let server: TLSEngine
  private var random: Seeded
  /// The largest piece; 1 cuts between all bytes.
  private let pieceLimit: Int
  /// What is on its way.
  private var toServer: [UInt8] = []
  private var toClient: [UInt8] = []

  init(
    _ client: TLSContext, _ server: TLSContext, seed: UInt64 = 1, pieceLimit: Int = 20_000
  ) throws(TLSError) {
    self.client = try TLSEngine(client)
    self.server = try TLSEngine(server)
    random = Seeded(seed)
    self.pieceLimit = pieceLimit
  }

  /// Carries what both have said, until they fall silent or wait for a decision.
  @discardableResult
  func handshake() -> Outcome {
    var outcome = Outcome(client: client.handshake(), server: server.handshake())
    while carry() {
      outcome = Outcome(client: client.handshake(), server: server.handshake())
    }
    return outcome
  }

  /// Moves at most a piece each way; false when nothing was on its way.
  func carry() -> Bool {
    toServer += client.output()
    toClient += server.output()
    let isSilent = toServer.isEmpty && toClient.isEmpty
    EnginePair.feed(server, from: &toServer, atMost: Int.random(in: 1...pieceLimit, using: &random))
    EnginePair.feed(client, from: &toClient, atMost: Int.random(in: 1...pieceLimit, using: &random))
    return !isSilent
  }

  private static func feed(_ engine: TLSEngine, from bytes: inout [UInt8], atMost limit: Int) {
    guard !bytes.isEmpty else { return }
    engine.feed(Array(bytes.prefix(limit)))
    bytes.removeFirst(min(limit, bytes.count))
  }

  /// Both sides when the handshake is over on both.
  static func established(
    _ client: TLSContext, _ server: TLSContext, seed: UInt64 = 1
  ) throws -> EnginePair {
    let pair = try EnginePair(client, server, seed: seed)
    #expect(pair.handshake() == Outcome(client: .done, server: .done))
    return pair
  }

  /// Writes on one side and reads on the other until all is there, in pieces.
  func transfer(_ bytes: [UInt8], from sender: TLSEngine, to receiver: TLSEngine) -> [UInt8] {
    var received: [UInt8] = []
    #expect(sender.write(bytes) == .moved(bytes.count))
    repeat {
      let (plain, end) = receiver.readAll()
      received += plain
      #expect(end == .wantsInput)
    } while carry()
    return received
  }
}

extension TLSEngine {
  func feed(_ bytes: [UInt8]) { feed(bytes.span.octets) }

  func write(_ bytes: [UInt8]) -> Transfer { write(bytes.span.octets) }

  /// Everything for the wire.
  func output() -> [UInt8] {
    var all: [UInt8] = []
    var room = [UInt8](repeating: 0, count: 16_384)
    while pendingOutput > 0 {
      let count = room.withRoom { takeOutput(into: &$0) }
      all += room[..<count]
    }
    return all
  }

  /// Everything that can be read, and why there is no more.
  func readAll(size: Int = 16_384) -> ([UInt8], Transfer) {
    var all: [UInt8] = []
    var room = [UInt8](repeating: 0, count: size)
    while true {
      let transfer = room.withRoom { read(into: &$0) }
      guard case .moved(let count) = transfer else { return (all, transfer) }
      all += room[..<count]
    }
  }
}

extension [UInt8] {
  mutating func withRoom<Result>(_ body: (inout MutableRawSpan) -> Result) -> Result {
    var elements = mutableSpan
    // The bytes of bytes: nothing can go wrong (swiftlang/swift #86431).
    var bytes = unsafe elements.mutableBytes
    return body(&bytes)
  }
}

/// What most tests need: an authority, a server of its, and contexts.
struct Rig {
  let authority = TestAuthority()

  func anchors() throws -> TrustAnchors {
    .certificates(try Certificate.load(pem: authority.certificatePEM))
  }

  func identity(_ certificate: TestCertificate) throws -> Identity {
    try Identity(pem: certificate.chainPEM, keyPEM: certificate.keyPEM)
  }

  func server(_ change: (inout TLSConfiguration) -> Void = { _ in }) throws -> TLSContext {
    try server(authority.server(), change)
  }

  func server(
    _ certificate: TestCertificate, _ change: (inout TLSConfiguration) -> Void = { _ in }
  ) throws -> TLSContext {
    var configuration = TLSConfiguration(.server, identity: try identity(certificate))
    configuration.anchors = try anchors()
    change(&configuration)
    return try TLSContext(configuration)
  }

  func client(
    _ host: String? = "localhost", _ change: (inout TLSConfiguration) -> Void = { _ in }
  ) throws -> TLSContext {
    var configuration = TLSConfiguration(.client(hostName: host))
    configuration.anchors = try anchors()
    change(&configuration)
    return try TLSContext(configuration)
  }
}

extension TLSEngine.Progress {
  /// The reason for which the peer was not trusted.
  var untrusted: String? {
    guard case .failed(.untrusted(let reason)) = self else { return nil }
    return reason
  }

  /// The reason for which the handshake failed otherwise.
  var broken: String? {
    guard case .failed(.handshake(let reason)) = self else { return nil }
    return reason
  }
}
