internal import Kernel

/// What a server, the hosts file or a failure said of a name in one family.
enum FamilyReply: Hashable, Sendable {
  /// Addresses, at least one, and how many seconds they may be used.
  case addresses([IPAddress], seconds: UInt32)
  case failed(ResolutionFailure)

  /// Addresses that a name may lead to. 0.0.0.0 and :: are left out: Linux takes them for this very
  /// machine, and lists that block names answer with them.
  init(_ addresses: [IPAddress], seconds: UInt32) {
    let usable = addresses.filter { !$0.isUnspecified }
    self = usable.isEmpty ? .failed(.noAddress) : .addresses(usable, seconds: seconds)
  }
}

/// A question to name servers.
struct NameQuestion: Hashable, Sendable {
  enum Scope: Hashable, Sendable {
    /// The name as it stands, one family.
    case family(AddressFamily)
    /// The name with each search domain in turn, both families of the first that has any: an IPv4
    /// address from one domain must not be raced against an IPv6 address from another.
    case search
  }

  let name: DomainName
  let scope: Scope
}

/// The answer to a question.
struct NameReply: Hashable, Sendable {
  enum Content: Hashable, Sendable {
    case family(AddressFamily, FamilyReply)
    case search(FamilyPair<FamilyReply>)
  }

  let name: DomainName
  let content: Content
}

extension FamilyPair: Hashable where Value: Hashable {
  func hash(into hasher: inout Hasher) {
    hasher.combine(v6)
    hasher.combine(v4)
  }
}
