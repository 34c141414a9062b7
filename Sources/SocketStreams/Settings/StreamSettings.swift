internal import Foundation
internal import Kernel
internal import Security
internal import Sockets
internal import TLS

/// What the properties of a pair of streams say; the pair has them in common.
struct StreamSettings: Sendable {
  var security: SecuritySettings?
  var proxy: ProxySettings?
  var serviceType: ServiceType?
  /// Whether the end of the streams is that of the caller's socket too; nil for what is usual.
  var closesNativeSocket: Bool?
  let isNative: Bool
  /// What was set, to be asked for again.
  private(set) var values: [String: KeptValue] = [:]
  /// Whose word is taken for a peer's certificate.
  private(set) var anchors = TrustAnchors.system
  private var hasTakenNative = false

  /// Guard of the `@unchecked`: under the pair's lock, and handed out to whoever uses the streams.
  struct KeptValue: @unchecked Sendable {
    let value: Any
  }

  init(for target: ConnectionTarget) {
    switch target {
    case .native: isNative = true
    case .host, .bound: isNative = false
    }
  }

  /// The caller goes on with the socket that was made for it.
  var leavesSocketOpen: Bool { !isNative && closesNativeSocket == false }

  /// A socket of the caller's that is to be closed: it is given out once.
  mutating func takeNativeHandleToClose(_ target: ConnectionTarget) -> Int32? {
    guard case .native(let number) = target, number >= 0, closesNativeSocket ?? false,
      !hasTakenNative
    else { return nil }
    hasTakenNative = true
    return number
  }

  /// Takes over a property; false when there is no such, or the value is none for it.
  mutating func set(_ value: Any?, for key: String) -> Bool {
    guard isTaken(value, for: key) else { return false }
    values[key] = value.map { KeptValue(value: $0) }
    return true
  }

  private mutating func isTaken(_ value: Any?, for key: String) -> Bool {
    switch key {
    case "kCFStreamPropertySocketSecurityLevel": return setLevel(value)
    case "kCFStreamPropertySSLSettings": return setSecurity(value)
    case "kCFStreamPropertySOCKSProxy": return setProxy(value)
    case "kCFStreamNetworkServiceType":
      guard let name = PropertyValue.text(value), let type = ServiceType(name) else {
        return false
      }
      serviceType = type
    case "kCFStreamPropertyShouldCloseNativeSocket":
      guard let closes = PropertyValue.flag(value) else { return false }
      closesNativeSocket = closes
    case "AditStreamTrustAnchors":
      guard let certificates = PropertyValue.certificates(value) else { return false }
      anchors = .certificates(certificates)
      security?.anchors = anchors
    case "kCFStreamSSLPeerName", "kCFStreamSSLValidatesCertificateChain", "kCFStreamSSLIsServer",
      "kCFStreamSSLCertificates", "kCFStreamSSLLevel":
      guard let value else { return false }
      return setSecurity([key: value])
    default: return false
    }
    return true
  }

  // MARK: TLS

  private mutating func setLevel(_ value: Any?) -> Bool {
    guard let name = PropertyValue.text(value) else { return false }
    if name == "kCFStreamSocketSecurityLevelNone" {
      security = nil
      return true
    }
    var new = security ?? SecuritySettings(anchors: anchors)
    guard new.setLevel(name) else { return false }
    security = new
    return true
  }

  private mutating func setSecurity(_ value: Any?) -> Bool {
    if value == nil || value is NSNull {
      security = nil
      return true
    }
    guard let dictionary = PropertyValue.dictionary(value) else { return false }
    if PropertyValue.text(dictionary["kCFStreamSSLLevel"]) == "kCFStreamSocketSecurityLevelNone" {
      security = nil
      return true
    }
    var new = security ?? SecuritySettings(anchors: anchors)
    guard new.set(dictionary) else { return false }
    security = new
    return true
  }

  // MARK: SOCKS

  /// Takes over the dictionary of a proxy; false when it is none.
  mutating func setProxy(_ value: Any?) -> Bool {
    if value == nil || value is NSNull {
      proxy = nil
      return true
    }
    guard let dictionary = PropertyValue.dictionary(value),
      let host = ["SOCKSProxy", "NSStreamSOCKSProxyKey"].lazy
        .compactMap({ PropertyValue.text(dictionary[$0]) }).first
    else { return false }
    var new = ProxySettings(host: host)
    let port = dictionary["SOCKSPort"] ?? dictionary["NSStreamSOCKSPortKey"]
    if let port {
      guard let number = PropertyValue.number(port) else { return false }
      new.port = number
    }
    switch PropertyValue.text(dictionary["kCFStreamPropertySOCKSVersion"]) {
    case nil, "kCFStreamSocketSOCKSVersion5": new.version = .five
    case "kCFStreamSocketSOCKSVersion4": new.version = .four
    default: return false
    }
    new.user = PropertyValue.text(dictionary["kCFStreamPropertySOCKSUser"])
    new.password = PropertyValue.text(dictionary["kCFStreamPropertySOCKSPassword"])
    proxy = new
    return true
  }
}
