/// Whether a chain of certificates is to be trusted.
public enum TrustVerdict: Hashable, Sendable {
  /// It leads to an anchor, its dates are right and it is for the host.
  case trusted
  /// It is not, with the reason.
  case untrusted(String)
}

/// What a peer showed, and what is to be thought of it.
public struct PeerTrust: Hashable, Sendable {
  /// The chain as it was given, the peer's own certificate first.
  public let certificates: [Certificate]
  /// The name that the peer was to have; nil for clients and where no name is checked.
  public let hostName: String?
  /// Whether the peer is the server.
  public let isServer: Bool
  /// What the engine says with the anchors of its configuration.
  public let verdict: TrustVerdict

  /// What would be said of the chain with other anchors or for another host; without a host, any.
  public func evaluate(anchors: TrustAnchors, hostName: String?) -> TrustVerdict {
    let purpose: ChainPurpose = isServer ? .server(hostName: hostName) : .client
    return ChainQuestion(certificates: certificates, anchors: anchors, purpose: purpose).verdict
  }
}

/// What a chain is verified for.
package enum ChainPurpose: Hashable, Sendable {
  /// A server, of this name where one is given.
  case server(hostName: String?)
  /// A client.
  case client
  /// Anything.
  case any
}

/// A chain and what is asked of it.
package struct ChainQuestion: Sendable {
  /// The chain as given, the one in question first.
  package var certificates: [Certificate]
  /// Whose word is taken.
  package var anchors: TrustAnchors
  /// The system's authorities besides those named.
  package var alsoTrustsSystem = false
  /// What it is to be good for.
  package var purpose: ChainPurpose
  /// For which moment, in seconds since 1970; nil for now.
  package var seconds: Int64?

  /// Asks about a chain.
  package init(certificates: [Certificate], anchors: TrustAnchors, purpose: ChainPurpose) {
    self.certificates = certificates
    self.anchors = anchors
    self.purpose = purpose
  }

  /// Whether it is to be trusted.
  package var verdict: TrustVerdict { answer().verdict }
}

/// What was found out about a chain.
package struct ChainAnswer: Sendable {
  /// Whether it is to be trusted.
  package var verdict: TrustVerdict
  /// The kind of reason; nil when it is trusted.
  package var fault: ChainFault?
  /// The chain as far as it could be followed, the one in question first.
  package var chain: [Certificate]

  /// An answer in words and by its kind.
  package init(verdict: TrustVerdict, fault: ChainFault?, chain: [Certificate]) {
    self.verdict = verdict
    self.fault = fault
    self.chain = chain
  }
}

/// The kinds of reasons not to trust a chain that callers tell apart.
package enum ChainFault: Hashable, Sendable {
  /// A certificate's time is over.
  case expired
  /// A certificate's time has not come.
  case notYetValid
  /// The certificate is for other hosts.
  case otherHost
  /// The chain leads to no anchor.
  case noAnchor
  /// The certificate is not for this use.
  case wrongPurpose
  /// Anything else.
  case other
}
