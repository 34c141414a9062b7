import Kernel
import TLS
import TestSupport
import Testing

@Suite("What two sides agree on")
struct AgreementTests {
  let rig = Rig()

  @Test(
    "the server's first protocol that the client has is taken", arguments: HandshakeTests.versions)
  func protocolIsTheServersChoice(_ version: TLSVersion) throws {
    let client = try rig.client { configuration in
      configuration.maximumVersion = version
      configuration.applicationProtocols = ["http/1.1", "h2"]
    }
    let pair = try EnginePair.established(
      client, rig.server { $0.applicationProtocols = ["spdy/3", "h2", "http/1.1"] })
    #expect(pair.client.session?.applicationProtocol == "h2")
    #expect(pair.server.session?.applicationProtocol == "h2")
  }

  @Test("protocols that do not meet end the handshake")
  func protocolsMustMeet() throws {
    let pair = try EnginePair(
      rig.client { $0.applicationProtocols = ["h2"] },
      rig.server { $0.applicationProtocols = ["http/1.1"] })
    #expect(try #require(pair.handshake().client.broken).contains("no application protocol"))
  }

  @Test("no protocol is agreed on where one side has none")
  func oneSideMayHaveNoProtocol() throws {
    let pair = try EnginePair.established(
      rig.client { $0.applicationProtocols = ["h2"] }, rig.server())
    #expect(pair.client.session?.applicationProtocol == nil)
  }

  @Test("protocols of no length and of too much are refused")
  func protocolsHaveALength() throws {
    for name in ["", String(repeating: "x", count: 256)] {
      #expect(throws: TLSError.self) { try rig.client { $0.applicationProtocols = [name] } }
    }
  }

  @Test("a server shows the identity that the client asks for")
  func identityIsChosenByName() throws {
    let names = ["localhost", "www.example.org", "*.example.org", "example.net"]
    let identities = try Dictionary(
      uniqueKeysWithValues: names.map { ($0, try rig.identity(rig.authority.server([$0]))) })
    let server = try rig.server(rig.authority.server(["127.0.0.1", "elsewhere"])) {
      $0.serverIdentities = identities
    }
    for (host, certificate) in [
      ("localhost", "localhost"), ("WWW.example.org", "www.example.org"),
      ("a.example.org", "*.example.org"), ("example.net", "example.net"),
      ("127.0.0.1", "127.0.0.1"), ("elsewhere", "127.0.0.1"),
    ] {
      let pair = try EnginePair.established(rig.client(host), server)
      #expect(pair.client.session?.peerCertificates.first?.names.first == certificate)
    }
  }

  @Test("a server without an identity for the name says so")
  func unknownNameIsRefused() throws {
    let identity = try rig.identity(rig.authority.server())
    let server = try rig.server { configuration in
      configuration.identity = nil
      configuration.serverIdentities = ["localhost": identity]
    }
    _ = try EnginePair.established(rig.client(), server)
    let pair = try EnginePair(rig.client("example.org"), server)
    #expect(try #require(pair.handshake().client.broken).contains("unrecognized name"))
  }

  @Test("only the suites that were named are used, in either kind of name")
  func onlyNamedSuitesAreUsed() throws {
    for (name, suite, version) in [
      ("ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES128-GCM-SHA256", TLSVersion.v1_2),
      ("TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", "ECDHE-ECDSA-AES256-GCM-SHA384", .v1_2),
      ("TLS_CHACHA20_POLY1305_SHA256", "TLS_CHACHA20_POLY1305_SHA256", .v1_3),
    ] {
      let pair = try EnginePair.established(
        rig.client { $0.cipherSuites = [name] }, rig.server())
      #expect(pair.client.session?.cipherSuite == suite)
      #expect(pair.client.session?.version == version)
    }
  }

  @Test(
    "a suite that is none is refused by its name",
    arguments: ["NONE-AT-ALL", "TLS_AES_128_NOTHING", "TLS_RSA_WITH_NOTHING"])
  func unknownSuiteIsRefused(_ name: String) throws {
    #expect(throws: TLSError.configuration("there is no cipher suite “\(name)”")) {
      try rig.client { $0.cipherSuites = ["ECDHE-ECDSA-AES128-GCM-SHA256", name] }
    }
  }

  @Test("settings that cannot be meant are refused")
  func senselessSettingsAreRefused() throws {
    #expect(throws: TLSError.self) { try TLSContext(TLSConfiguration(.server)) }
    #expect(throws: TLSError.self) {
      try rig.client { configuration in
        configuration.minimumVersion = .v1_3
        configuration.maximumVersion = .v1_2
      }
    }
    #expect(throws: TLSError.self) {
      try rig.client { configuration in
        configuration.minimumVersion = .v1_3
        configuration.cipherSuites = ["ECDHE-ECDSA-AES128-GCM-SHA256"]
      }
    }
    let nameless = try rig.client(nil)
    #expect(throws: TLSError.self) { try TLSEngine(nameless) }
    #expect(throws: TLSError.self) { try TLSEngine(nameless, hostName: "two words") }
    #expect(throws: TLSError.self) { try TLSEngine(nameless, hostName: "") }
    _ = try TLSEngine(nameless, hostName: "localhost")
  }

  // MARK: Resumption

  /// A pair whose client has read all that the server said, tickets too.
  private func spoken(_ client: TLSContext, _ server: TLSContext) throws -> EnginePair {
    let pair = try EnginePair.established(client, server)
    #expect(pair.transfer([1], from: pair.server, to: pair.client) == [1])
    return pair
  }

  @Test("a session is taken up again", arguments: HandshakeTests.versions)
  func sessionIsTakenUp(_ version: TLSVersion) throws {
    let client = try rig.client { configuration in
      configuration.maximumVersion = version
      configuration.sessionKey = "taken up \(version)"
    }
    let server = try rig.server()
    for isResumed in [false, true, true] {
      let pair = try spoken(client, server)
      #expect(pair.client.session?.isResumed == isResumed)
      #expect(pair.server.session?.isResumed == isResumed)
      #expect(pair.client.session?.peerCertificates.first?.names.first == "localhost")
      #expect(pair.client.peer.verdict == .trusted)
    }
  }

  @Test(
    "a session is not taken up by who demands something else", arguments: HandshakeTests.versions)
  func sessionIsNotSharedWithOthers(_ version: TLSVersion) throws {
    func context(_ change: (inout TLSConfiguration) -> Void) throws -> TLSContext {
      try rig.client { configuration in
        configuration.maximumVersion = version
        configuration.sessionKey = "not shared \(version)"
        change(&configuration)
      }
    }
    let server = try rig.server()
    _ = try spoken(context { _ in }, server)
    let another = TestAuthority()
    let anchors = try Certificate.load(pem: another.certificatePEM)
    let pair = try EnginePair(context { $0.anchors = .certificates(anchors) }, server)
    #expect(pair.handshake().client.untrusted != nil)
    let unchecked = try spoken(context { $0.checksHostName = false }, server)
    #expect(unchecked.client.session?.isResumed == false)
    let keyless = try spoken(context { $0.sessionKey = nil }, server)
    #expect(keyless.client.session?.isResumed == false)
  }

  @Test(
    "a client that its owner refused cannot come back by a ticket",
    arguments: HandshakeTests.versions)
  func refusedClientHasNoTicket(_ version: TLSVersion) throws {
    let identity = try rig.identity(rig.authority.client())
    let client = try rig.client { configuration in
      configuration.maximumVersion = version
      configuration.identity = identity
      configuration.sessionKey = "refused \(version)"
    }
    let server = try rig.server { configuration in
      configuration.asksForClientCertificate = .required
      configuration.decidesTrust = true
    }
    for isTrusted in [false, false, true] {
      let pair = try EnginePair(client, server)
      #expect(pair.handshake().server == .wantsDecision)
      pair.server.decide(isTrusted: isTrusted)
      _ = pair.handshake()
      _ = pair.client.handshake() == .done ? pair.client.readAll() : ([], .wantsInput)
    }
    // The one that was trusted has.
    let pair = try EnginePair(client, server)
    #expect(pair.handshake() == .init(client: .done, server: .done))
    #expect(pair.server.session?.isResumed == true)
  }

  @Test("a client that nobody was asked about is given tickets", arguments: HandshakeTests.versions)
  func clientWithoutCertificateHasTickets(_ version: TLSVersion) throws {
    let client = try rig.client { configuration in
      configuration.maximumVersion = version
      configuration.sessionKey = "nobody asked \(version)"
    }
    let server = try rig.server { configuration in
      configuration.asksForClientCertificate = .optional
      configuration.decidesTrust = true
    }
    for isResumed in [false, true, true] {
      #expect(try spoken(client, server).client.session?.isResumed == isResumed)
    }
  }

  @Test("threads share contexts and sessions")
  func threadsShareContexts() async throws {
    let client = try rig.client { $0.sessionKey = "threads" }
    let server = try rig.server()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<10 {
            let pair = try EnginePair.established(client, server)
            #expect(pair.transfer([1], from: pair.server, to: pair.client) == [1])
          }
        }
      }
      try await group.waitForAll()
    }
  }
}
