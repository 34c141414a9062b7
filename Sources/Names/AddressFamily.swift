public import Kernel

/// The two families of IP addresses. A name is asked about each on its own.
public enum AddressFamily: Hashable, Sendable, CaseIterable {
  /// IPv6, AAAA records.
  case v6
  /// IPv4, A records.
  case v4

  /// The family of an address.
  public init(of address: IPAddress) {
    self = address.isIPv6 ? .v6 : .v4
  }

  /// The family that this one alternates with.
  public var other: AddressFamily {
    switch self {
    case .v6: .v4
    case .v4: .v6
    }
  }
}

/// One value for each family.
struct FamilyPair<Value> {
  var v6: Value
  var v4: Value

  init(repeating value: Value) {
    v6 = value
    v4 = value
  }

  subscript(family: AddressFamily) -> Value {
    get {
      switch family {
      case .v6: v6
      case .v4: v4
      }
    }
    set {
      switch family {
      case .v6: v6 = newValue
      case .v4: v4 = newValue
      }
    }
  }
}

extension FamilyPair: Equatable where Value: Equatable {}
extension FamilyPair: Sendable where Value: Sendable {}
