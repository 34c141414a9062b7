internal import Kernel

/// What a client demands of a server: sessions are resumed only where all of it is the same, so
/// that no session reaches a client that would not have trusted the server.
struct SessionKey: Hashable, Sendable {
  var name: String
  var peer: PeerName?
  var anchors: TrustAnchors
  var checksHostName: Bool
  var decidesTrust: Bool
  var minimumVersion: TLSVersion
  var applicationProtocols: [String]
  var identity: Certificate?
}

/// The sessions of all clients in the process.
final class SessionCache: Sendable {
  static let shared = SessionCache()

  /// Servers remembered at a time; the one that was longest unused goes first.
  static let keyLimit = 256
  /// Sessions of one server: TLS 1.3 gives two for each connection, each to be used once.
  static let sessionLimit = 4

  private struct State {
    var sessions: [SessionKey: [SessionHandle]] = [:]
    /// The keys, the longest unused first.
    var order: [SessionKey] = []
  }

  private let state = Lock(State())

  func add(_ session: SessionHandle, for key: SessionKey) {
    state.withLock { state in
      state.order.removeAll { $0 == key }
      state.order.append(key)
      var kept = state.sessions[key] ?? []
      kept.append(session)
      state.sessions[key] = kept.suffix(SessionCache.sessionLimit)
      if state.order.count > SessionCache.keyLimit {
        state.sessions[state.order.removeFirst()] = nil
      }
    }
  }

  /// The newest session; one of TLS 1.3 is not given again.
  func take(for key: SessionKey) -> SessionHandle? {
    state.withLock { state in
      while let session = state.sessions[key]?.popLast() {
        guard session.isResumable else { continue }
        if !session.isForOneUse { state.sessions[key]?.append(session) }
        return session
      }
      return nil
    }
  }

  /// Forgets a server, with whom something went wrong.
  func remove(_ key: SessionKey) {
    state.withLock { state in
      state.sessions[key] = nil
      state.order.removeAll { $0 == key }
    }
  }

  /// How many servers are remembered.
  var count: Int { state.withLock { $0.sessions.count } }
}
