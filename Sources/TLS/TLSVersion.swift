/// A version of the protocol.
public enum TLSVersion: Hashable, Comparable, Sendable, CaseIterable {
  /// TLS 1.0, broken: only when it is asked for as the least version.
  case v1_0
  /// TLS 1.1, broken: only when it is asked for as the least version.
  case v1_1
  /// TLS 1.2.
  case v1_2
  /// TLS 1.3.
  case v1_3

  /// The number that stands in records.
  var wireNumber: Int32 {
    switch self {
    case .v1_0: 0x0301
    case .v1_1: 0x0302
    case .v1_2: 0x0303
    case .v1_3: 0x0304
    }
  }

  init?(wireNumber: Int32) {
    guard let version = TLSVersion.allCases.first(where: { $0.wireNumber == wireNumber }) else {
      return nil
    }
    self = version
  }
}

extension TLSVersion: CustomStringConvertible {
  /// The usual text, `TLS 1.3`.
  public var description: String {
    switch self {
    case .v1_0: "TLS 1.0"
    case .v1_1: "TLS 1.1"
    case .v1_2: "TLS 1.2"
    case .v1_3: "TLS 1.3"
    }
  }
}
