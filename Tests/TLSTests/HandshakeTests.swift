import Kernel
import TLS
import TestSupport
import Testing

@Suite("Handshakes")
struct HandshakeTests {
  static let versions: [TLSVersion] = [.v1_2, .v1_3]
  let rig = Rig()

  @Test("a trusted server is spoken to, however the records are cut", arguments: versions)
  func trustedServerIsSpokenTo(_ version: TLSVersion) throws {
    let client = try rig.client { $0.maximumVersion = version }
    let server = try rig.server()
    for (seed, limit) in [1, 2, 5, 100, 20_000].enumerated() {
      let pair = try EnginePair(client, server, seed: UInt64(seed), pieceLimit: limit)
      #expect(pair.handshake() == .init(client: .done, server: .done), "seed \(seed)")
      #expect(pair.client.session?.version == version)
      #expect(pair.server.session?.version == version)
      #expect(pair.client.peer.verdict == .trusted)
      #expect(pair.client.session?.peerCertificates.first?.names.first == "localhost")
      #expect(pair.transfer([1, 2, 3], from: pair.client, to: pair.server) == [1, 2, 3])
    }
  }

  @Test("a server of an unknown authority is refused, and is told so", arguments: versions)
  func unknownAuthorityIsRefused(_ version: TLSVersion) throws {
    let pair = try EnginePair(
      rig.client { $0.maximumVersion = version },
      rig.server(TestAuthority(name: "Another").server()))
    let outcome = pair.handshake()
    let reason = try #require(outcome.client.untrusted)
    #expect(reason.contains("unable to get local issuer certificate"))
    #expect(reason.contains("localhost"))
    #expect(try #require(outcome.server.broken).contains("the peer refused: unknown ca"))
  }

  @Test("without anchors every server is refused")
  func nothingIsTrustedWithoutAnchors() throws {
    let pair = try EnginePair(rig.client { $0.anchors = .none }, rig.server())
    #expect(pair.handshake().client.untrusted != nil)
  }

  @Test("the system's authorities do not vouch for a test's server")
  func systemAuthoritiesDoNotVouch() throws {
    let pair = try EnginePair(rig.client { $0.anchors = .system }, rig.server())
    #expect(pair.handshake().client.untrusted != nil)
  }

  @Test(
    "a server with another name is refused with both names",
    arguments: ["example.org", "127.0.0.2", "ocalhost", "sub.localhost"])
  func otherNameIsRefused(_ host: String) throws {
    let pair = try EnginePair(rig.client(host), rig.server())
    let reason = try #require(pair.handshake().client.untrusted)
    #expect(reason == "the certificate is for localhost, 127.0.0.1, ::1, not for \(host)")
  }

  @Test(
    "a server is known by any of its names and addresses",
    arguments: ["localhost", "LOCALHOST.", "127.0.0.1", "::1", "[::1]", "::1%1"])
  func anyNameWillDo(_ host: String) throws {
    _ = try EnginePair.established(rig.client(host), rig.server())
  }

  @Test("a wildcard stands for one whole label and nothing else")
  func wildcardStandsForOneLabel() throws {
    let server = try rig.server(rig.authority.server(["*.example.org", "w*.example.net"]))
    _ = try EnginePair.established(rig.client("www.example.org"), server)
    for host in ["example.org", "a.b.example.org", "www.example.net"] {
      #expect(try EnginePair(rig.client(host), server).handshake().client.untrusted != nil)
    }
  }

  @Test("a name only in the subject is no name")
  func subjectIsNoName() throws {
    let server = rig.authority.issue(.init(name: "localhost"))
    let pair = try EnginePair(rig.client(), rig.server(server))
    let reason = try #require(pair.handshake().client.untrusted)
    #expect(reason == "the certificate is for no host, not for localhost")
  }

  @Test("a name that is not checked does not matter")
  func uncheckedNameDoesNotMatter() throws {
    let client = try rig.client("example.org") { $0.checksHostName = false }
    _ = try EnginePair.established(client, rig.server())
    let nameless = try rig.client(nil) { $0.checksHostName = false }
    _ = try EnginePair.established(nameless, rig.server())
  }

  @Test("a certificate is refused after its time", arguments: versions)
  func expiredCertificateIsRefused(_ version: TLSVersion) throws {
    let pair = try EnginePair(
      rig.client { $0.maximumVersion = version }, rig.server(rig.authority.expiredServer()))
    let outcome = pair.handshake()
    #expect(try #require(outcome.client.untrusted).contains("certificate has expired"))
    #expect(try #require(outcome.server.broken).contains("certificate expired"))
  }

  @Test("a certificate is refused before its time")
  func earlyCertificateIsRefused() throws {
    var request = TestCertificate.Request(name: "localhost", hosts: ["localhost"])
    request.validity = .later
    let pair = try EnginePair(rig.client(), rig.server(rig.authority.issue(request)))
    #expect(try #require(pair.handshake().client.untrusted).contains("not yet valid"))
  }

  @Test("a client's certificate does not make a server")
  func clientCertificateIsNoServers() throws {
    var request = TestCertificate.Request(name: "localhost", hosts: ["localhost"])
    request.purpose = .client
    let pair = try EnginePair(rig.client(), rig.server(rig.authority.issue(request)))
    #expect(pair.handshake().client.untrusted != nil)
  }

  @Test("authorities in between are sent along, and an anchor need not sign itself")
  func chainsOfAuthoritiesAreFollowed() throws {
    let middle = TestAuthority(name: "Middle", signedBy: rig.authority)
    let server = try rig.server(middle.server())
    let pair = try EnginePair.established(rig.client(), server)
    #expect(pair.client.session?.peerCertificates.count == 2)
    let anchored = try rig.client {
      $0.anchors = .certificates((try? Certificate.load(pem: middle.certificatePEM)) ?? [])
    }
    _ = try EnginePair.established(anchored, server)
  }

  @Test("an RSA key serves as well", arguments: versions)
  func keysOfRSAServe(_ version: TLSVersion) throws {
    var request = TestCertificate.Request(name: "localhost", hosts: ["localhost"])
    request.key = .rsa
    _ = try EnginePair.established(
      rig.client { $0.maximumVersion = version }, rig.server(rig.authority.issue(request)))
  }

  @Test("versions that do not meet end in words on both sides")
  func versionsMustMeet() throws {
    let pair = try EnginePair(
      rig.client { $0.maximumVersion = .v1_2 }, rig.server { $0.minimumVersion = .v1_3 })
    let outcome = pair.handshake()
    #expect(try #require(outcome.client.broken).contains("protocol version"))
    #expect(try #require(outcome.server.broken).contains("unsupported protocol"))
  }

  @Test("the broken versions are spoken only when they are asked for")
  func brokenVersionsAreAskedFor() throws {
    let old = try rig.client { configuration in
      configuration.minimumVersion = .v1_0
      configuration.maximumVersion = .v1_1
    }
    #expect(try EnginePair(old, rig.server()).handshake().client.broken != nil)
    let pair = try EnginePair(old, rig.server { $0.minimumVersion = .v1_0 })
    let outcome = pair.handshake()
    #expect(outcome == .init(client: .done, server: .done))
    #expect(pair.client.session?.version == .v1_1)
  }

  @Test("an end of the connection during the handshake is an error, not silence")
  func endDuringHandshakeIsAnError() throws {
    let pair = try EnginePair(rig.client(), rig.server())
    #expect(pair.client.handshake() == .wantsInput)
    pair.client.feedEnd()
    let reason = try #require(pair.client.handshake().broken)
    #expect(reason == "the peer ended the connection during the handshake")
    #expect(pair.client.write([1]) == .failed(.handshake(reason)))
  }

  @Test(
    "what is no TLS at all is refused with words", arguments: ["HTTP/1.1 400 Bad\r\n\r\n", "SSH-2"])
  func otherProtocolsAreRefused(_ words: String) throws {
    let engine = try TLSEngine(rig.client())
    _ = engine.handshake()
    engine.feed(Array(words.utf8))
    #expect(try #require(engine.handshake().broken).contains("wrong version number"))
  }
}
