internal import Foundation
internal import Security
internal import TLS

/// How a stream's TLS is to be, as its properties say.
struct SecuritySettings: Sendable {
  /// For whom a server's certificate must be.
  enum PeerName: Hashable, Sendable {
    /// The host that was connected to.
    case host
    /// Anybody.
    case nobody
    case named(String)
  }

  var minimumVersion = TLSVersion.v1_2
  var maximumVersion: TLSVersion?
  var peerName = PeerName.host
  var validatesChain = true
  var isServer = false
  var identity: Identity?
  var anchors = TrustAnchors.system

  /// What TLS is made of. A chain that is not validated, or is taken from anybody, is asked about,
  /// and `trusts` answers.
  func configuration(for target: ConnectionTarget) -> TLSConfiguration {
    var configuration = TLSConfiguration(role(for: target), identity: identity)
    configuration.minimumVersion = minimumVersion
    configuration.maximumVersion = maximumVersion
    configuration.checksHostName = validatesChain && peerName != .nobody
    configuration.decidesTrust = !isServer
    configuration.anchors = anchors
    return configuration
  }

  private func role(for target: ConnectionTarget) -> TLSConfiguration.Role {
    guard !isServer else { return .server }
    return .client(hostName: name(for: target))
  }

  /// The name that a server's certificate must be for.
  func name(for target: ConnectionTarget) -> String? {
    switch (peerName, target) {
    case (.named(let name), _): name
    case (.nobody, _), (.host, .native), (.host, .bound): nil
    case (.host, .host(let name, _)): name
    }
  }

  /// Whether a peer with such a verdict is spoken with.
  func trusts(_ verdict: TrustVerdict) -> Bool {
    guard validatesChain else { return true }
    switch verdict {
    case .trusted: return true
    case .untrusted: return false
    }
  }
}

// MARK: The property's dictionary

extension SecuritySettings {
  /// Takes over a security level; false when there is no such.
  mutating func setLevel(_ name: String) -> Bool {
    switch name {
    case "kCFStreamSocketSecurityLevelNegotiatedSSL":
      minimumVersion = .v1_2
      maximumVersion = nil
    // “TLS 1.0” is what code says that wants TLS: more than that is what its author gets today.
    case "kCFStreamSocketSecurityLevelTLSv1", "kCFStreamSocketSecurityLevelTLSv1_0",
      "kCFStreamSocketSecurityLevelTLSv1_1", "kCFStreamSocketSecurityLevelTLSv1_2":
      minimumVersion = .v1_2
    case "kCFStreamSocketSecurityLevelTLSv1_3": minimumVersion = .v1_3
    default: return false
    }
    return true
  }

  /// Takes over the settings' dictionary; false when a value is none, and then nothing is changed.
  mutating func set(_ settings: [String: Any]) -> Bool {
    var new = self
    for (key, value) in settings {
      guard new.set(value, for: key) else { return false }
    }
    guard !new.isServer || new.identity != nil else { return false }
    self = new
    return true
  }

  private mutating func set(_ value: Any, for key: String) -> Bool {
    switch key {
    case "kCFStreamSSLLevel":
      guard let level = PropertyValue.text(value) else { return false }
      return setLevel(level)
    case "kCFStreamSSLPeerName":
      if value is NSNull {
        peerName = .nobody
        return true
      }
      guard let name = PropertyValue.text(value) else { return false }
      peerName = .named(name)
    case "kCFStreamSSLValidatesCertificateChain":
      guard let validates = PropertyValue.flag(value) else { return false }
      validatesChain = validates
    case "kCFStreamSSLIsServer":
      guard let server = PropertyValue.flag(value) else { return false }
      isServer = server
    case "kCFStreamSSLCertificates":
      guard let own = PropertyValue.identity(value) else { return false }
      identity = own
    // Those that once opened a hole are understood and have no effect.
    case "kCFStreamSSLAllowsExpiredCertificates", "kCFStreamSSLAllowsExpiredRoots",
      "kCFStreamSSLAllowsAnyRoot":
      return PropertyValue.flag(value) != nil
    default: return false
    }
    return true
  }
}
