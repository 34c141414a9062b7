public import Kernel

/// What is known of a name in one family.
public struct FamilyAnswer: Hashable, Sendable {
  /// What an answer says.
  public enum Content: Hashable, Sendable {
    /// Addresses, at least one, in the order in which they were given.
    case addresses([IPAddress])
    /// Addresses that have expired, given since DNS does not work for the reason beside them.
    case stale([IPAddress], ResolutionFailure)
    /// No address, and why.
    case failure(ResolutionFailure)
  }

  /// The family asked about.
  public let family: AddressFamily
  /// What the answer says.
  public let content: Content

  /// Makes an answer.
  public init(_ family: AddressFamily, _ content: Content) {
    self.family = family
    self.content = content
  }

  /// The addresses to try, none when the answer is a failure.
  public var addresses: [IPAddress] {
    switch content {
    case .addresses(let addresses), .stale(let addresses, _): addresses
    case .failure: []
    }
  }

  /// Why there is no address, or why those there are have expired; nil for a good answer.
  public var failure: ResolutionFailure? {
    switch content {
    case .addresses: nil
    case .stale(_, let failure), .failure(let failure): failure
    }
  }

  /// True when the addresses have expired.
  public var isStale: Bool {
    switch content {
    case .stale: true
    case .addresses, .failure: false
    }
  }
}
