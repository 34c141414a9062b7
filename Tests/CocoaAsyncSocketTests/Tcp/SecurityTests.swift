import CocoaAsyncSocket
import Foundation
import Kernel
import Security
import TLS
import TestSupport
import Testing

@Suite("TLS of a delegate's socket")
struct SecurityTests {
  private static let authority = TestAuthority()

  private static func identity(_ certificate: TestCertificate) throws -> SecIdentity {
    let folder = try TemporaryFolder()
    let files = try certificate.write(to: folder)
    return try SecIdentity(pemFile: files.chain, keyFile: files.key)
  }

  private static func server(
    _ hosts: [String] = ["localhost", "127.0.0.1"]
  ) throws -> [String: NSObject] {
    [
      kCFStreamSSLIsServer as String: true as NSObject,
      kCFStreamSSLCertificates as String: [try identity(authority.server(hosts))] as NSArray,
    ]
  }

  private static func anchors() throws -> NSArray {
    let folder = try TemporaryFolder()
    let path = try folder.write(authority.certificatePEM, to: "ca.pem")
    return try SecCertificate.certificates(pemFile: path) as NSArray
  }

  private static func client(_ more: [String: NSObject] = [:]) throws -> [String: NSObject] {
    more.merging([GCDAsyncSocketSSLAnchorCertificates: try anchors()]) { own, _ in own }
  }

  private func secured(
    server: [String: NSObject], client: [String: NSObject]
  ) throws -> SocketPair {
    let pair = try SocketPair()
    pair.server.startTLS(server)
    pair.client.startTLS(client)
    return pair
  }

  @Test func aReadOfALengthCompletesOverTLS() throws {
    let pair = try secured(
      server: SecurityTests.server(),
      client: SecurityTests.client([GCDAsyncSocketSSLPeerName: "localhost" as NSString]))
    try pair.recorder.secured(pair.client)
    try pair.recorder.secured(pair.server)
    #expect(pair.client.isSecure && pair.server.isSecure)
    let half = Data(repeating: 7, count: 51_200)
    pair.server.write(half, withTimeout: -1, tag: 1)
    pair.server.write(half, withTimeout: -1, tag: 2)
    pair.client.readData(toLength: 102_400, withTimeout: 20, tag: 3)
    #expect(try pair.recorder.read(pair.client, tag: 3) == half + half)
    #expect(pair.client.isConnected)
  }

  @Test func tlsBeginsBetweenTheReadsAndWritesAroundIt() throws {
    let pair = try SocketPair()
    pair.client.write(Data("STARTTLS\r\n".utf8), withTimeout: -1, tag: 1)
    pair.client.startTLS(try SecurityTests.client())
    pair.client.write(Data("secret\r\n".utf8), withTimeout: -1, tag: 2)
    pair.server.readData(to: GCDAsyncSocket.crlfData(), withTimeout: -1, tag: 1)
    pair.server.startTLS(try SecurityTests.server())
    pair.server.readData(to: GCDAsyncSocket.crlfData(), withTimeout: -1, tag: 2)
    #expect(try pair.recorder.text(pair.server, tag: 1) == "STARTTLS\r\n")
    try pair.recorder.secured(pair.server)
    #expect(try pair.recorder.text(pair.server, tag: 2) == "secret\r\n")
  }

  @Test func aMegabyteUnderTLSAndThenClosedArrives() throws {
    let pair = try secured(server: SecurityTests.server(), client: SecurityTests.client())
    let sent = Data((0..<1_048_576).map { UInt8(truncatingIfNeeded: $0 / 11) })
    pair.server.write(sent, withTimeout: -1, tag: 1)
    pair.server.disconnectAfterWriting()
    pair.client.readData(toLength: UInt(sent.count), withTimeout: -1, tag: 2)
    #expect(try pair.recorder.read(pair.client, tag: 2) == sent)
    #expect(try pair.recorder.disconnected(pair.server) == nil)
    let error = try #require(try pair.recorder.disconnected(pair.client))
    #expect(error.code == GCDAsyncSocketError.closedError.rawValue)
  }

  @Test func anUntrustedServerIsRefused() throws {
    let pair = try secured(server: SecurityTests.server(), client: [:])
    let error = try #require(try pair.recorder.disconnected(pair.client))
    #expect(error.domain == "kCFStreamErrorDomainSSL")
    #expect(error.code == -9807)
    _ = try pair.recorder.disconnected(pair.server)
  }

  @Test func aServerOfAnotherNameIsRefused() throws {
    let pair = try secured(
      server: SecurityTests.server(["other.example"]),
      client: SecurityTests.client([kCFStreamSSLPeerName as String: "localhost" as NSString]))
    let error = try #require(try pair.recorder.disconnected(pair.client))
    #expect(error.domain == "kCFStreamErrorDomainSSL")
  }

  @Test func withoutAPeerNameNoNameIsChecked() throws {
    let pair = try secured(
      server: SecurityTests.server(["other.example"]), client: SecurityTests.client())
    try pair.recorder.secured(pair.client)
  }

  @Test(arguments: [true, false])
  func theDelegateDecides(trusts: Bool) throws {
    let pair = try SocketPair()
    pair.recorder.trust { trust in
      #expect(SecTrustGetCertificateCount(trust) >= 1)
      return trusts
    }
    pair.server.startTLS(try SecurityTests.server())
    pair.client.startTLS([GCDAsyncSocketManuallyEvaluateTrust: true as NSObject])
    if trusts {
      try pair.recorder.secured(pair.client)
    } else {
      let error = try #require(try pair.recorder.disconnected(pair.client))
      #expect(error.domain == "kCFStreamErrorDomainSSL")
    }
  }

  @Test func nothingIsSecureBeforeTheDelegateHasDecided() throws {
    let pair = try SocketPair()
    let asked = Monitor<SecTrust?>(nil)
    pair.recorder.trust { trust in
      asked.withLock { $0 = trust }
      asked.signal()
      return nil
    }
    pair.server.startTLS(try SecurityTests.server())
    pair.client.startTLS([
      GCDAsyncSocketManuallyEvaluateTrust: NSNumber(value: true),
      GCDAsyncSocketSSLHandshakeTimeout: NSNumber(value: 0.3),
    ])
    #expect(asked.wait(until: .now() + Recorder.patience) { $0 } != nil)
    #expect(!pair.client.isSecure)
    // Nobody answers: the time is over.
    let error = try #require(try pair.recorder.disconnected(pair.client))
    #expect(error.domain == "kCFStreamErrorDomainSSL")
    #expect(
      !pair.recorder.left(of: pair.client).contains {
        if case .secured = $0 { true } else { false }
      }
    )
  }

  @Test func aDelegateWithoutTheQuestionTrustsNobody() throws {
    final class Silent: NSObject, GCDAsyncSocketDelegate, Sendable {
      let end = Monitor<NSError?>(nil)
      func socketDidDisconnect(_ sock: GCDAsyncSocket, withError err: (any Error)?) {
        end.withLock { $0 = err as NSError? }
        end.signal()
      }
    }
    let recorder = Recorder()
    let listener = recorder.socket()
    try listener.accept(onPort: 0)
    let silent = Silent()
    let client = GCDAsyncSocket(delegate: silent, delegateQueue: DispatchQueue(label: "silent"))
    try client.connect(toHost: "127.0.0.1", onPort: listener.localPort)
    client.startTLS([GCDAsyncSocketManuallyEvaluateTrust: true as NSObject])
    let server = try recorder.accepted()
    server.startTLS(try SecurityTests.server())
    let error = silent.end.wait(until: .now() + Recorder.patience) { $0 }
    #expect(error?.domain == "kCFStreamErrorDomainSSL")
  }

  @Test(arguments: [
    (kCFStreamSSLLevel as String, 3), (kCFStreamSSLAllowsAnyRoot as String, 1),
    (GCDAsyncSocketSSLProtocolVersionMin, 77),
  ])
  func settingsThatCannotBeUsedAreNamed(key: String, value: Int) throws {
    let pair = try SocketPair()
    pair.client.startTLS([key: NSNumber(value: value)])
    let error = try #require(try pair.recorder.disconnected(pair.client))
    #expect(error.code == GCDAsyncSocketError.badParamError.rawValue)
    #expect(error.localizedDescription.contains(key))
  }

  @Test(arguments: [8, 10])
  func aVersionIsChosen(number: Int) throws {
    let version = NSNumber(value: number)
    let pair = try secured(
      server: SecurityTests.server(),
      client: SecurityTests.client([
        GCDAsyncSocketSSLProtocolVersionMin: version, GCDAsyncSocketSSLProtocolVersionMax: version,
      ]))
    try pair.recorder.secured(pair.client)
  }

  @Test func theEndDuringTheHandshakeIsAnError() throws {
    let rig = try ReadingTests.Rig()
    rig.socket.startTLS(try SecurityTests.client())
    _ = rig.peer.receive(10)
    try rig.peer.endStream()
    #expect(try rig.recorder.disconnected(rig.socket) != nil)
  }
}
