internal import Foundation
internal import Security
internal import TLS

/// What stands in a property's value, in whatever form it was put there.
enum PropertyValue {
  static func text(_ value: Any?) -> String? {
    switch value {
    case let text as String: text
    case let text as NSString: text as String
    case let level as StreamSocketSecurityLevel: level.rawValue
    case let type as StreamNetworkServiceTypeValue: type.rawValue
    case let version as StreamSOCKSProxyVersion: version.rawValue
    default: nil
    }
  }

  static func flag(_ value: Any?) -> Bool? {
    switch value {
    case let flag as Bool: flag
    case let number as NSNumber: number.boolValue
    case let text as String where text == "kCFBooleanTrue": true
    default: nil
    }
  }

  static func number(_ value: Any?) -> Int? {
    switch value {
    case let number as Int: number
    case let number as NSNumber: number.intValue
    case let text as String: Int(text)
    default: nil
    }
  }

  /// The bytes of a descriptor's number, as C has them in memory.
  static func data(_ number: Int32) -> Data {
    let bits = UInt32(bitPattern: number.littleEndian)
    return Data((0..<4).map { UInt8(truncatingIfNeeded: bits >> (8 * $0)) })
  }

  /// A dictionary whose keys are text of any kind.
  static func dictionary(_ value: Any?) -> [String: Any]? {
    var pairs: [(Any, Any)] = []
    switch value {
    case let dictionary as [String: Any]: return dictionary
    case let dictionary as [AnyHashable: Any]: pairs = dictionary.map { ($0.key.base, $0.value) }
    case let dictionary as NSDictionary:
      for (key, value) in dictionary { pairs.append((key, value)) }
    default: return nil
    }
    var named: [String: Any] = [:]
    for (key, value) in pairs {
      guard let name = text(key) ?? (key as? StreamSOCKSProxyConfiguration)?.rawValue else {
        return nil
      }
      named[name] = value
    }
    return named
  }

  /// A list of certificates.
  static func certificates(_ value: Any?) -> [Certificate]? {
    guard let items = list(value) else { return nil }
    let certificates = items.compactMap { ($0 as? SecCertificate)?.certificate }
    return certificates.count == items.count ? certificates : nil
  }

  /// The identity at the head of a list, with the certificates behind it.
  static func identity(_ value: Any?) -> Identity? {
    guard let items = list(value), let first = items.first as? SecIdentity else { return nil }
    let others = items.dropFirst().compactMap { ($0 as? SecCertificate)?.certificate }
    guard !others.isEmpty, let leaf = first.identity.certificates.first else {
      return first.identity
    }
    return try? Identity(certificates: [leaf] + others, key: first.identity.key)
  }

  private static func list(_ value: Any?) -> [Any]? {
    switch value {
    case let list as [Any]: list
    case let list as NSArray: list.map { $0 }
    default: nil
    }
  }
}
