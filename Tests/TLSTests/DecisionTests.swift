import TLS
import TestSupport
import Testing

@Suite("Decisions about the peer")
struct DecisionTests {
  let rig = Rig()

  @Test("nothing goes on before the owner trusts the server", arguments: HandshakeTests.versions)
  func ownerTrustsServer(_ version: TLSVersion) throws {
    let client = try rig.client("example.org") { configuration in
      configuration.maximumVersion = version
      configuration.decidesTrust = true
    }
    let pair = try EnginePair(client, rig.server())
    #expect(pair.handshake() == .init(client: .wantsDecision, server: .wantsInput))
    // Asked again, late and with more that came, it is the same question.
    #expect(pair.client.handshake() == .wantsDecision)
    #expect(pair.client.pendingOutput == 0)
    #expect(pair.client.session == nil)
    #expect(pair.client.peer.hostName == "example.org")
    #expect(pair.client.peer.isServer)
    #expect(pair.client.peer.certificates.count == 1)
    guard case .untrusted(let reason) = pair.client.peer.verdict else {
      Issue.record("the name is wrong, and the engine would say so")
      return
    }
    #expect(reason.contains("not for example.org"))
    pair.client.decide(isTrusted: true)
    #expect(pair.handshake() == .init(client: .done, server: .done))
    #expect(pair.transfer([7], from: pair.server, to: pair.client) == [7])
  }

  @Test("a server that the owner refuses hears it", arguments: HandshakeTests.versions)
  func ownerRefusesServer(_ version: TLSVersion) throws {
    let client = try rig.client { configuration in
      configuration.maximumVersion = version
      configuration.decidesTrust = true
    }
    let pair = try EnginePair(client, rig.server())
    #expect(pair.handshake().client == .wantsDecision)
    #expect(pair.client.peer.verdict == .trusted)
    pair.client.decide(isTrusted: false)
    let outcome = pair.handshake()
    #expect(outcome.client.untrusted == "it was refused by the connection's owner")
    #expect(try #require(outcome.server.broken).contains("bad certificate"))
    #expect(pair.client.session == nil)
  }

  private func mutual(
    _ version: TLSVersion, client certificate: TestCertificate?,
    _ asks: TLSConfiguration.ClientCertificate = .required, decides: Bool
  ) throws -> EnginePair {
    let identity = try certificate.map { try rig.identity($0) }
    let client = try rig.client { configuration in
      configuration.maximumVersion = version
      configuration.identity = identity
    }
    let server = try rig.server { configuration in
      configuration.asksForClientCertificate = asks
      configuration.decidesTrust = decides
    }
    return try EnginePair(client, server)
  }

  @Test("nothing reaches a client before the owner trusts it", arguments: HandshakeTests.versions)
  func ownerTrustsClient(_ version: TLSVersion) throws {
    let stranger = TestAuthority(name: "Another").client("stranger")
    let pair = try mutual(version, client: stranger, decides: true)
    let outcome = pair.handshake()
    #expect(outcome.server == .wantsDecision)
    // In TLS 1.3 a client's part is over when it has shown its certificate.
    #expect(outcome.client == (version == .v1_3 ? .done : .wantsInput))
    #expect(pair.server.pendingOutput == 0)
    #expect(pair.server.session == nil)
    #expect(pair.server.peer.certificates.first?.subjectSummary == "stranger")
    #expect(pair.server.peer.verdict != .trusted)
    #expect(!pair.server.peer.isServer)
    pair.server.decide(isTrusted: true)
    #expect(pair.handshake() == .init(client: .done, server: .done))
    #expect(pair.transfer([1, 2], from: pair.client, to: pair.server) == [1, 2])
    #expect(pair.transfer([3], from: pair.server, to: pair.client) == [3])
  }

  @Test("a client that the owner refuses hears it", arguments: HandshakeTests.versions)
  func ownerRefusesClient(_ version: TLSVersion) throws {
    let pair = try mutual(version, client: rig.authority.client(), decides: true)
    #expect(pair.handshake().server == .wantsDecision)
    #expect(pair.server.peer.verdict == .trusted)
    pair.server.decide(isTrusted: false)
    let outcome = pair.handshake()
    #expect(outcome.server.untrusted == "it was refused by the connection's owner")
    guard version == .v1_3 else {
      #expect(try #require(outcome.client.broken).contains("bad certificate"))
      return
    }
    #expect(
      pair.client.readAll().1
        == .failed(.handshake("the peer refused the certificate: bad certificate")))
  }

  @Test(
    "a refusal is sealed with whatever TLS 1.3 agreed on",
    arguments: ["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"])
  func refusalIsSealed(_ suite: String) throws {
    let identity = try rig.identity(rig.authority.client())
    let client = try rig.client { configuration in
      configuration.identity = identity
      configuration.cipherSuites = [suite]
    }
    let server = try rig.server { configuration in
      configuration.asksForClientCertificate = .required
      configuration.decidesTrust = true
    }
    let pair = try EnginePair(client, server)
    #expect(pair.handshake().server == .wantsDecision)
    #expect(pair.client.session?.cipherSuite == suite)
    pair.server.decide(isTrusted: false)
    _ = pair.handshake()
    #expect(
      pair.client.readAll().1
        == .failed(.handshake("the peer refused the certificate: bad certificate")))
  }

  @Test("a trusted client is served", arguments: HandshakeTests.versions)
  func trustedClientIsServed(_ version: TLSVersion) throws {
    let pair = try mutual(version, client: rig.authority.client("somebody"), decides: false)
    #expect(pair.handshake() == .init(client: .done, server: .done))
    #expect(pair.server.session?.peerCertificates.first?.subjectSummary == "somebody")
    #expect(pair.server.peer.verdict == .trusted)
  }

  @Test("an untrusted client is refused", arguments: HandshakeTests.versions)
  func untrustedClientIsRefused(_ version: TLSVersion) throws {
    for asks in [TLSConfiguration.ClientCertificate.required, .optional] {
      let stranger = TestAuthority(name: "Another").client()
      let pair = try mutual(version, client: stranger, asks, decides: false)
      #expect(pair.handshake().server.untrusted != nil)
    }
  }

  @Test("a client without a certificate is refused where one is required, with or without an owner")
  func missingCertificateIsRefused() throws {
    for decides in [false, true] {
      for version in HandshakeTests.versions {
        let pair = try mutual(version, client: nil, decides: decides)
        let reason = try #require(pair.handshake().server.broken)
        #expect(reason.contains("peer did not return a certificate"))
      }
    }
  }

  @Test("a client without a certificate is served where one is optional, and nobody is asked")
  func optionalCertificateMayMiss() throws {
    for decides in [false, true] {
      for version in HandshakeTests.versions {
        let pair = try mutual(version, client: nil, .optional, decides: decides)
        #expect(pair.handshake() == .init(client: .done, server: .done))
        #expect(pair.server.session?.peerCertificates.isEmpty == true)
        #expect(pair.server.peer.verdict != .trusted)
      }
    }
  }

  @Test("other anchors and other names can be asked about")
  func otherAnchorsCanBeAskedAbout() throws {
    let pair = try EnginePair.established(rig.client(), rig.server())
    let peer = pair.client.peer
    #expect(peer.evaluate(anchors: try rig.anchors(), hostName: "127.0.0.1") == .trusted)
    #expect(peer.evaluate(anchors: try rig.anchors(), hostName: nil) == .trusted)
    #expect(peer.evaluate(anchors: try rig.anchors(), hostName: "example.org") != .trusted)
    #expect(peer.evaluate(anchors: .none, hostName: nil) != .trusted)
    #expect(peer.evaluate(anchors: .certificates(peer.certificates), hostName: nil) == .trusted)
  }
}
