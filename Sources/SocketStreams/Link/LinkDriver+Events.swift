internal import Kernel
internal import Sockets
internal import TLS

/// What the connection tells, by how far it has come.
extension LinkDriver: TransportOwner {
  func transportIsReadable() {
    switch stage {
    case .proxying: converse()
    case .running: readAhead()
    case .connecting, .securing, .over: break
    }
  }

  func transportIsWritable() {
    switch stage {
    case .running: send()
    case .connecting, .proxying, .securing, .over: break
    }
  }

  func transportIsSecure() {
    if case .securing = stage { run() }
  }

  func transportAsksTrust(_ peer: PeerTrust) {
    guard let link, let transport else { return }
    let isTrusted = link.shared.withLock { state -> Bool in
      state.facts.peer = PeerFacts(trust: peer)
      return state.settings.security?.trusts(peer.verdict) ?? false
    }
    transport.decide(isTrusted: isTrusted)
  }

  func transportFailed(_ error: SocketError) {
    fail(.socket(error))
  }
}
