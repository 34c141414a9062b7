internal import Foundation
internal import Security
internal import Sockets
internal import TLS

/// A handshake that is to come.
struct HandshakePlan: Sendable {
  let context: TLSContext
  /// The time that it has, nil for no limit.
  let timeout: Duration?
  /// Whose word is taken.
  let anchors: TrustAnchors
}

/// The dictionary of `startTLS`, read.
struct TLSSettings: Sendable {
  /// The time that a handshake has where nothing else is said.
  static let defaultTimeout = Duration.seconds(30)

  private var configuration: TLSConfiguration
  /// The name that the certificate must be for.
  private let peerName: String?
  /// The time that the handshake has, nil for no limit.
  private let timeout: Duration?

  /// Reads the settings; throws for what cannot be used, and names it.
  init(_ settings: [String: Any]) throws(SocketError) {
    try TLSSettings.refuseLegacy(settings)
    peerName = try settings.value(GCDAsyncSocketSSLPeerName, of: String.self, "a string")
    let isServer = try settings.flag(GCDAsyncSocketSSLIsServer)
    let identity = try TLSSettings.identity(settings)
    configuration = TLSConfiguration(
      isServer ? .server : .client(hostName: peerName), identity: identity)
    configuration.decidesTrust = try settings.flag(GCDAsyncSocketManuallyEvaluateTrust)
    if isServer, configuration.decidesTrust { configuration.asksForClientCertificate = .optional }
    timeout = try TLSSettings.timeout(settings)
    try readVersions(settings)
    try readChoices(settings)
  }

  /// What is to be done, made ready on the caller's thread: reading the system's authorities takes
  /// its time. Without a name to check, the name connected to is still told to the server, which
  /// may have several.
  func plan(hostName: String?) throws(SocketError) -> HandshakePlan {
    var configuration = self.configuration
    if case .client = configuration.role, peerName == nil {
      configuration.role = .client(hostName: hostName)
      configuration.checksHostName = false
    }
    do {
      let context = try TLSContext(configuration)
      return HandshakePlan(context: context, timeout: timeout, anchors: configuration.anchors)
    } catch {
      throw .tls(error)
    }
  }

  private static func refuseLegacy(_ settings: [String: Any]) throws(SocketError) {
    let refused = [
      kCFStreamSSLAllowsAnyRoot, kCFStreamSSLAllowsExpiredRoots,
      kCFStreamSSLAllowsExpiredCertificates, kCFStreamSSLValidatesCertificateChain,
    ].map { $0 as String }
    for key in refused where settings[key] != nil {
      throw .invalid("the TLS setting \(key)", expected: GCDAsyncSocketManuallyEvaluateTrust)
    }
    if settings[kCFStreamSSLLevel as String] != nil {
      throw .invalid(
        "the TLS setting \(kCFStreamSSLLevel)", expected: GCDAsyncSocketSSLProtocolVersionMin)
    }
  }

  /// The identity: the first that is one, with the certificates behind it.
  private static func identity(_ settings: [String: Any]) throws(SocketError) -> Identity? {
    let key = GCDAsyncSocketSSLCertificates
    guard let items = try settings.value(key, of: [Any].self, "an array") else { return nil }
    guard let identity = items.lazy.compactMap({ $0 as? SecIdentity }).first?.identity else {
      throw .invalid("\(key) without an identity", expected: "a SecIdentity first")
    }
    let others = items.compactMap { $0 as? SecCertificate }.map(\.certificate)
      .filter { !identity.certificates.contains($0) }
    guard !others.isEmpty else { return identity }
    do {
      return try Identity(certificates: identity.certificates + others, key: identity.key)
    } catch {
      throw .tls(error)
    }
  }

  private static func timeout(_ settings: [String: Any]) throws(SocketError) -> Duration? {
    let key = GCDAsyncSocketSSLHandshakeTimeout
    guard let seconds = try settings.value(key, of: Double.self, "a number of seconds") else {
      return defaultTimeout
    }
    return seconds > 0 ? Duration(limit: seconds) : nil
  }

  private mutating func readVersions(_ settings: [String: Any]) throws(SocketError) {
    if let version = try settings.version(GCDAsyncSocketSSLProtocolVersionMin) {
      configuration.minimumVersion = version
    }
    if let version = try settings.version(GCDAsyncSocketSSLProtocolVersionMax) {
      configuration.maximumVersion = version
      configuration.minimumVersion = min(configuration.minimumVersion, version)
    }
  }

  private mutating func readChoices(_ settings: [String: Any]) throws(SocketError) {
    if let key = try settings.value(GCDAsyncSocketSSLPeerID, of: Data.self, "data") {
      configuration.sessionKey = key.base64EncodedString()
    }
    let protocols = try settings.value(GCDAsyncSocketSSLALPN, of: [String].self, "strings")
    configuration.applicationProtocols = protocols ?? []
    let suites = try settings.value(GCDAsyncSocketSSLCipherSuites, of: [Int].self, "numbers")
    var names: [String] = []
    for number in suites ?? [] {
      guard let name = CipherSuiteNumbers.names[number] else {
        throw .invalid(
          "the cipher suite 0x\(String(number, radix: 16))", expected: "one that is still in use")
      }
      names.append(name)
    }
    configuration.cipherSuites = names
    let key = GCDAsyncSocketSSLAnchorCertificates
    if let anchors = try settings.value(key, of: [SecCertificate].self, "SecCertificates") {
      configuration.anchors = .certificates(anchors.map(\.certificate))
    }
  }
}

extension [String: Any] {
  /// A value as what it must be; nil when the key is not there.
  fileprivate func value<Wanted>(
    _ key: String, of type: Wanted.Type, _ expected: String
  ) throws(SocketError) -> Wanted? {
    guard let found = self[key] else { return nil }
    guard let value = found as? Wanted else {
      throw .invalid("the TLS setting \(key)", expected: expected)
    }
    return value
  }

  fileprivate func flag(_ key: String) throws(SocketError) -> Bool {
    guard let found = self[key] else { return false }
    if let flag = found as? Bool { return flag }
    if let number = found as? NSNumber { return number.boolValue }
    throw .invalid("the TLS setting \(key)", expected: "a boolean")
  }

  /// A version by Darwin's number of it.
  fileprivate func version(_ key: String) throws(SocketError) -> TLSVersion? {
    guard let number = try value(key, of: Int.self, "an SSLProtocol's number") else { return nil }
    switch Int32(exactly: number).flatMap({ SSLProtocol(rawValue: $0) }) {
    case .sslProtocol3, .tlsProtocol1: return .v1_0
    case .tlsProtocol11: return .v1_1
    case .tlsProtocol12: return .v1_2
    case .tlsProtocol13, .tlsProtocolMaxSupported: return .v1_3
    case .sslProtocolUnknown, .sslProtocol2, .sslProtocol3Only, .tlsProtocol1Only, .sslProtocolAll,
      .dtlsProtocol1, .dtlsProtocol12, nil:
      throw .invalid(
        "the TLS setting \(key) of \(number)",
        expected: "the number of one SSLProtocol from TLS 1.0")
    }
  }
}

/// The cipher suites that are still in use, by their numbers.
enum CipherSuiteNumbers {
  static let names: [Int: String] = [
    0x1301: "TLS_AES_128_GCM_SHA256", 0x1302: "TLS_AES_256_GCM_SHA384",
    0x1303: "TLS_CHACHA20_POLY1305_SHA256",
    0xc02b: "ECDHE-ECDSA-AES128-GCM-SHA256", 0xc02c: "ECDHE-ECDSA-AES256-GCM-SHA384",
    0xc02f: "ECDHE-RSA-AES128-GCM-SHA256", 0xc030: "ECDHE-RSA-AES256-GCM-SHA384",
    0xcca8: "ECDHE-RSA-CHACHA20-POLY1305", 0xcca9: "ECDHE-ECDSA-CHACHA20-POLY1305",
    0xc009: "ECDHE-ECDSA-AES128-SHA", 0xc00a: "ECDHE-ECDSA-AES256-SHA",
    0xc013: "ECDHE-RSA-AES128-SHA", 0xc014: "ECDHE-RSA-AES256-SHA",
    0xc023: "ECDHE-ECDSA-AES128-SHA256", 0xc024: "ECDHE-ECDSA-AES256-SHA384",
    0xc027: "ECDHE-RSA-AES128-SHA256", 0xc028: "ECDHE-RSA-AES256-SHA384",
    0x009c: "AES128-GCM-SHA256", 0x009d: "AES256-GCM-SHA384",
    0x003c: "AES128-SHA256", 0x003d: "AES256-SHA256", 0x002f: "AES128-SHA", 0x0035: "AES256-SHA",
    0x009e: "DHE-RSA-AES128-GCM-SHA256", 0x009f: "DHE-RSA-AES256-GCM-SHA384",
  ]
}
