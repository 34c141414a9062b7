internal import Kernel
internal import TLS

/// Contexts, made once: with and without an owner who decides about the peer.
private enum Contexts {
  static let servers = [false, true].map { made(isServer: true, decides: $0) }
  static let clients = [false, true].map { made(isServer: false, decides: $0) }

  private static func made(isServer: Bool, decides: Bool) -> TLSContext {
    do {
      let identity = try Identity(pem: FuzzIdentity.certificate, keyPEM: FuzzIdentity.key)
      var configuration = TLSConfiguration(
        isServer ? .server : .client(hostName: "localhost"), identity: identity)
      configuration.anchors = .certificates(identity.certificates)
      configuration.applicationProtocols = ["h2", "http/1.1"]
      configuration.asksForClientCertificate = .optional
      configuration.sessionKey = isServer ? nil : "fuzz"
      configuration.decidesTrust = decides
      if isServer { configuration.serverIdentities = ["localhost": identity] }
      return try TLSContext(configuration)
    } catch {
      preconditionFailure("the fuzzer's own identity: \(error)")
    }
  }
}

private func engine(_ context: TLSContext) -> TLSEngine {
  do {
    return try TLSEngine(context)
  } catch {
    preconditionFailure("an engine: \(error)")
  }
}

/// Feeds bytes to one engine, in pieces whose lengths stand before them.
func feedAlone(asServer isServer: Bool, _ bytes: ArraySlice<UInt8>) {
  let engine = engine(isServer ? Contexts.servers[0] : Contexts.clients[0])
  step(engine, answer: true)
  var left = bytes
  while let length = left.popFirst() {
    let piece = Array(left.prefix(Int(length) * 8 + 1))
    left = left.dropFirst(piece.count)
    engine.feed(piece.span.octets)
    step(engine, answer: true)
  }
  engine.feedEnd()
  step(engine, answer: true)
}

/// Lets two engines talk, and changes what they say: each three bytes are a place and what is
/// done there.
func spoilConversation(_ choices: UInt8, _ bytes: ArraySlice<UInt8>) {
  let decides = choices & 4 == 0 ? 0 : 1
  let client = engine(Contexts.clients[decides])
  let server = engine(Contexts.servers[decides])
  var changes = bytes
  for _ in 0..<6 {
    for (sender, receiver) in [(client, server), (server, client)] {
      step(sender, answer: choices & 8 == 0)
      var said = output(sender)
      while let high = changes.popFirst(), let low = changes.popFirst(),
        let change = changes.popFirst()
      {
        // A place behind the end is the next message's.
        let place = Int(high) << 8 | Int(low)
        guard place < said.count else { break }
        if change == 0 { said.remove(at: place) } else { said[place] ^= change }
      }
      receiver.feed(said.span.octets)
    }
  }
  for engine in [client, server] {
    engine.feedEnd()
    step(engine, answer: true)
  }
}

/// Does what an owner does when something came.
private func step(_ engine: TLSEngine, answer: Bool) {
  var progress = engine.handshake()
  if progress == .wantsDecision {
    _ = engine.peer.certificates.map { "\($0.names) \($0.subject) \($0.issuer)" }
    engine.decide(isTrusted: answer)
    progress = engine.handshake()
  }
  guard progress == .done else { return }
  precondition(engine.session != nil, "a connection without a session")
  var room = [UInt8](repeating: 0, count: 4096)
  while case .moved(let count) = room.withRoom({ engine.read(into: &$0) }), count > 0 {}
  let words: [UInt8] = [1, 2, 3]
  _ = engine.write(words.span.octets)
}

private func output(_ engine: TLSEngine) -> [UInt8] {
  var all: [UInt8] = []
  var room = [UInt8](repeating: 0, count: 4096)
  while engine.pendingOutput > 0 {
    let count = room.withRoom { engine.takeOutput(into: &$0) }
    all += room[..<count]
  }
  return all
}
