/// How one side speaks TLS.
public struct TLSConfiguration: Sendable {
  /// The side of the connection.
  public enum Role: Hashable, Sendable {
    /// The side that begins. The name, a DNS name or an address, is what the server's certificate
    /// must be for, and what the server is told.
    case client(hostName: String?)
    /// The side that answers.
    case server
  }

  /// What a server asks of its clients.
  public enum ClientCertificate: Hashable, Sendable {
    /// No certificate.
    case none
    /// A certificate, but a client without one is served too.
    case optional
    /// A certificate; a client without one is refused.
    case required
  }

  /// The side of the connection.
  public var role: Role
  /// Who this side is: a server needs one, here or by name, and a client where it is asked.
  public var identity: Identity?
  /// A server's identities by the name that the client asks for; `*.example.org` is for one label.
  /// For other names, and without a name, the identity above serves.
  public var serverIdentities: [String: Identity] = [:]
  /// Whose word is taken for the peer's certificate.
  public var anchors: TrustAnchors = .system
  /// Whether a client demands that the server's certificate is for the host's name.
  public var checksHostName = true
  /// The least version. Below TLS 1.2 the weak keys and hashes of its time are let pass as well.
  public var minimumVersion: TLSVersion = .v1_2
  /// The greatest version; nil for the greatest there is.
  public var maximumVersion: TLSVersion?
  /// Application protocols (ALPN) in the order of preference, `h2` and the like.
  public var applicationProtocols: [String] = []
  /// The cipher suites, in OpenSSL's names or the standard's, of TLS 1.3 and before; empty for the
  /// library's own choice. When given, nothing else is used.
  public var cipherSuites: [String] = []
  /// What a server asks of its clients.
  public var asksForClientCertificate: ClientCertificate = .none
  /// Under which key a client keeps its sessions in the process, to resume them; nil for never.
  /// A session is resumed only by a client that demands the same of the server.
  public var sessionKey: String?
  /// False: the engine verifies the peer. True: it stops and its owner decides.
  public var decidesTrust = false

  /// Begins with the defaults, which are safe.
  public init(_ role: Role, identity: Identity? = nil) {
    self.role = role
    self.identity = identity
  }
}

extension TLSConfiguration {
  var isServer: Bool {
    switch role {
    case .client: false
    case .server: true
    }
  }

  var hostName: String? {
    switch role {
    case .client(let hostName): hostName
    case .server: nil
    }
  }

  /// The versions from the least to the greatest, of which only some fit the cipher suites.
  func versions(_ suites: CipherSuites) throws(TLSError) -> (TLSVersion, TLSVersion) {
    var least = minimumVersion
    var greatest = maximumVersion ?? .v1_3
    guard least <= greatest else {
      throw .configuration("the least version, \(least), is above the greatest, \(greatest)")
    }
    if !suites.isEmpty, suites.modern.isEmpty { greatest = min(greatest, .v1_2) }
    if !suites.isEmpty, suites.classic.isEmpty { least = max(least, .v1_3) }
    guard least <= greatest else {
      throw .configuration("none of the cipher suites is of a version from \(least) on")
    }
    return (least, greatest)
  }

  /// ALPN's list as it stands on the wire: each name behind its length.
  func applicationProtocolList() throws(TLSError) -> [UInt8] {
    var list: [UInt8] = []
    for name in applicationProtocols {
      let bytes = Array(name.utf8)
      guard (1...255).contains(bytes.count) else {
        throw .configuration("an application protocol has 1 to 255 bytes, “\(name)” has not")
      }
      list.append(UInt8(bytes.count))
      list += bytes
    }
    guard list.count <= Int(UInt16.max) else {
      throw .configuration("the application protocols are more than a message holds")
    }
    return list
  }
}

/// Cipher suites by the kind of version that has them.
struct CipherSuites {
  /// Of TLS 1.3.
  var modern: [String] = []
  /// Of the versions before.
  var classic: [String] = []

  var isEmpty: Bool { modern.isEmpty && classic.isEmpty }

  /// Sorts names; the standard's names of the older ones have `_WITH_` in them.
  init(_ names: [String]) {
    for name in names {
      if name.hasPrefix("TLS_"), !name.contains("_WITH_") {
        modern.append(name)
      } else {
        classic.append(name)
      }
    }
  }
}

/// A host's name as it is compared and sent.
struct PeerName: Hashable, Sendable {
  let text: String
  let isAddress: Bool

  /// Nil when no certificate can be for such a name.
  init?(_ given: String) {
    if let literal = PeerName.address(given) {
      text = literal
      isAddress = true
      return
    }
    let name = given.hasSuffix(".") ? given.dropLast() : given[...]
    let isPlain = name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }
    guard !name.isEmpty, name.utf8.count <= 253, isPlain else { return nil }
    text = name.lowercased()
    isAddress = false
  }
}
