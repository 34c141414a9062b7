internal import Foundation
internal import Kernel
package import TLS

/// A chain of certificates, what it is to be good for, and whose word is taken.
public final class SecTrust: Sendable {
  struct State {
    var certificates: [Certificate]
    var policies: [SecPolicy]
    /// Whose word is taken while the caller names nobody.
    var usualAnchors: TrustAnchors
    /// The anchors that the caller named.
    var anchors: [Certificate]?
    var anchorsOnly = true
    var seconds: Int64?
    /// What was found out last.
    var answer: ChainAnswer?
  }

  let state: Lock<State>

  package init(
    certificates: [Certificate], policies: [SecPolicy], anchors: TrustAnchors = .system
  ) {
    state = Lock(
      State(certificates: certificates, policies: policies, usualAnchors: anchors))
  }

  /// The trust in a peer, which delegates are asked about.
  package convenience init(_ peer: PeerTrust, anchors: TrustAnchors) {
    let purpose: ChainPurpose = peer.isServer ? .server(hostName: peer.hostName) : .client
    self.init(certificates: peer.certificates, policies: [SecPolicy(purpose)], anchors: anchors)
  }

  /// Follows the chain for each policy; the first that it is not good for is the answer.
  func evaluate() -> ChainAnswer {
    let state = state.withLock { $0 }
    var answer = ChainAnswer(
      verdict: .untrusted("there is no policy"), fault: .other, chain: state.certificates)
    for policy in state.policies {
      var question = ChainQuestion(
        certificates: state.certificates,
        anchors: state.anchors.map { .certificates($0) } ?? state.usualAnchors,
        purpose: policy.purpose)
      question.alsoTrustsSystem = state.anchors != nil && !state.anchorsOnly
      question.seconds = state.seconds
      answer = question.answer()
      if answer.fault != nil { break }
    }
    self.state.withLock { $0.answer = answer }
    return answer
  }

  /// Changes what is asked, so that what was found out no longer counts.
  func change(_ body: (inout State) -> Void) {
    state.withLock { state in
      body(&state)
      state.answer = nil
    }
  }

  /// The chain as it was followed, or as it was given while it was not.
  var chain: [Certificate] {
    state.withLock { state in
      guard let chain = state.answer?.chain, !chain.isEmpty else { return state.certificates }
      return chain
    }
  }
}

extension ChainFault {
  /// Darwin's number.
  var status: OSStatus {
    switch self {
    case .expired: errSecCertificateExpired
    case .notYetValid: errSecCertificateNotValidYet
    case .otherHost: errSecHostNameMismatch
    case .wrongPurpose: errSecInvalidExtendedKeyUsage
    case .noAnchor, .other: errSecNotTrusted
    }
  }
}
