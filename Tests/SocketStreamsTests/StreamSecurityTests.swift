import Foundation
import Kernel
import Security
import SocketStreams
import TLS
import TestSupport
import Testing

/// TLS by the streams' properties.
@Suite(.timeLimit(.minutes(2)))
struct StreamSecurityTests {
  private static let authority = TestAuthority()

  /// A server that speaks TLS by the very streams, answers one line with itself reversed, and ends.
  private static func serve(
    _ listener: BlockingSocket, as certificate: TestCertificate
  ) -> Side<[UInt8]?> {
    Side {
      let peer = try listener.accept()
      let identity = try Identity(pem: certificate.chainPEM, keyPEM: certificate.keyPEM)
      var read: Unmanaged<CFReadStream>?
      var write: Unmanaged<CFWriteStream>?
      unsafe CFStreamCreatePairWithSocket(nil, peer.number, &read, &write)
      guard let input = unsafe read?.takeRetainedValue(),
        let output = unsafe write?.takeRetainedValue()
      else { return nil }
      let settings: [String: Any] = [
        kCFStreamSSLIsServer as String: true,
        kCFStreamSSLCertificates as String: [SecIdentity(identity)],
      ]
      #expect(
        input.setProperty(settings, forKey: kCFStreamPropertySSLSettings as Stream.PropertyKey))
      input.open()
      output.open()
      var line: [UInt8] = []
      while line.last != 10, let some = input.readOnce() {
        if some.isEmpty { break }
        line += some
      }
      guard line.last == 10 else { return nil }
      _ = output.writeAll(line.dropLast().reversed())
      output.close()
      _ = input.readAll()
      input.close()
      return line
    }
  }

  private static func anchors() throws -> [SecCertificate] {
    [SecCertificate(try Certificate(der: authority.certificate.der))]
  }

  private static func ask(
    _ listener: BlockingSocket, host: String, _ prepare: (StreamPair) throws -> Void
  ) throws -> (answer: [UInt8]?, pair: StreamPair) {
    let pair = StreamPair(host: host, port: Int(try listener.address.port ?? 0))
    try prepare(pair)
    pair.open()
    guard pair.output.writeAll(Array("abc\n".utf8)) else { return (nil, pair) }
    return (pair.input.readAll(), pair)
  }

  @Test func theLevelAloneGivesTLSWithATrustedServer() async throws {
    let listener = try BlockingSocket.listening()
    let server = StreamSecurityTests.serve(
      listener, as: StreamSecurityTests.authority.server(["127.0.0.1"]))
    try await OwnThread.run {
      let (answer, pair) = try StreamSecurityTests.ask(listener, host: "127.0.0.1") { pair in
        pair.input.setProperty(try StreamSecurityTests.anchors(), forKey: .trustAnchors)
        #expect(
          pair.output.setProperty(
            StreamSocketSecurityLevel.negotiatedSSL, forKey: .socketSecurityLevelKey))
      }
      #expect(answer == Array("cba".utf8))
      let trust = pair.output.property(
        forKey: kCFStreamPropertySSLPeerTrust as Stream.PropertyKey)
      let known = try #require(trust as? SecTrust)
      let isTrusted = SecTrustEvaluateWithError(known, nil)
      #expect(isTrusted)
      let name = pair.input.property(forKey: kCFStreamSSLPeerName as Stream.PropertyKey)
      #expect(name as? String == "127.0.0.1")
      pair.close()
    }
    #expect(try await server.value == Array("abc\n".utf8))
  }

  @Test func aServerThatNobodyVouchesForIsAnErrorOfBothStreams() async throws {
    let listener = try BlockingSocket.listening()
    let server = StreamSecurityTests.serve(
      listener, as: StreamSecurityTests.authority.server(["127.0.0.1"]))
    try await OwnThread.run {
      let (answer, pair) = try StreamSecurityTests.ask(listener, host: "127.0.0.1") { pair in
        pair.input.setProperty(
          StreamSocketSecurityLevel.negotiatedSSL.rawValue, forKey: .socketSecurityLevelKey)
      }
      #expect(answer == nil)
      for stream in pair.both {
        let error = try #require(stream.streamError as NSError?)
        #expect(error.domain == NSOSStatusErrorDomain)
        #expect(error.code == -9807)
        #expect(stream.streamStatus == .error)
      }
      pair.close()
    }
    #expect(try await server.value == nil)
  }

  @Test func aServerOfAnotherNameIsRefusedUnlessThatNameIsAskedFor() async throws {
    for (name, isRight) in [(nil, false), ("other.test", true)] as [(String?, Bool)] {
      let listener = try BlockingSocket.listening()
      let server = StreamSecurityTests.serve(
        listener, as: StreamSecurityTests.authority.server(["other.test"]))
      try await OwnThread.run {
        let (answer, pair) = try StreamSecurityTests.ask(listener, host: "127.0.0.1") { pair in
          pair.input.setProperty(try StreamSecurityTests.anchors(), forKey: .trustAnchors)
          var settings: [String: Any] = [
            kCFStreamSSLLevel as String: kCFStreamSocketSecurityLevelNegotiatedSSL
          ]
          if let name { settings[kCFStreamSSLPeerName as String] = name }
          #expect(
            pair.input.setProperty(
              settings, forKey: kCFStreamPropertySSLSettings as Stream.PropertyKey))
        }
        #expect((answer == Array("cba".utf8)) == isRight)
        pair.close()
      }
      #expect(try await (server.value != nil) == isRight)
    }
  }

  @Test func withoutValidationAnybodyIsSpokenWithAndTheTrustTellsTheTruth() async throws {
    let listener = try BlockingSocket.listening()
    let server = StreamSecurityTests.serve(
      listener, as: StreamSecurityTests.authority.server(["other.test"]))
    try await OwnThread.run {
      let (answer, pair) = try StreamSecurityTests.ask(listener, host: "127.0.0.1") { pair in
        let settings: [NSString: Any] = [
          kCFStreamSSLValidatesCertificateChain: kCFBooleanFalse as Any,
          kCFStreamSSLPeerName: kCFNull as Any,
        ]
        #expect(
          pair.input.setProperty(
            settings, forKey: kCFStreamPropertySSLSettings as Stream.PropertyKey))
      }
      #expect(answer == Array("cba".utf8))
      let trust = pair.input.property(forKey: kCFStreamPropertySSLPeerTrust as Stream.PropertyKey)
      let known = try #require(trust as? SecTrust)
      let isTrusted = SecTrustEvaluateWithError(known, nil)
      #expect(!isTrusted)
      pair.close()
    }
    #expect(try await server.value != nil)
  }

  @Test func settingTheLevelOnAnOpenStreamStartsTLS() async throws {
    let listener = try BlockingSocket.listening()
    let certificate = StreamSecurityTests.authority.server(["127.0.0.1"])
    let server = Side { () -> [UInt8]? in
      let (input, output) = try StreamSecurityTests.native(try listener.accept())
      input.open()
      output.open()
      guard input.readOnce() == Array("STARTTLS\n".utf8) else { return nil }
      _ = output.writeAll(Array("go\n".utf8))
      let identity = try Identity(pem: certificate.chainPEM, keyPEM: certificate.keyPEM)
      input.setProperty(
        [
          kCFStreamSSLIsServer as String: true,
          kCFStreamSSLCertificates as String: [SecIdentity(identity)],
        ] as [String: Any], forKey: kCFStreamPropertySSLSettings as Stream.PropertyKey)
      let secret = input.readOnce()
      input.close()
      output.close()
      return secret
    }
    try await OwnThread.run {
      let pair = StreamPair(host: "127.0.0.1", port: Int(try listener.address.port ?? 0))
      pair.open()
      #expect(pair.output.writeAll(Array("STARTTLS\n".utf8)))
      #expect(pair.input.readOnce() == Array("go\n".utf8))
      pair.input.setProperty(try StreamSecurityTests.anchors(), forKey: .trustAnchors)
      #expect(
        pair.input.setProperty(
          StreamSocketSecurityLevel.negotiatedSSL, forKey: .socketSecurityLevelKey))
      #expect(pair.output.writeAll(Array("secret".utf8)))
      let rest = pair.input.readAll()
      #expect(rest == [], "\(pair.input.streamError.map { "\($0)" } ?? "no error")")
      pair.close()
    }
    #expect(try await server.value == Array("secret".utf8))
  }

  /// The streams of a socket, and the socket: it stays the test's.
  private static func native(_ peer: BlockingSocket) throws -> (InputStream, OutputStream) {
    var read: Unmanaged<CFReadStream>?
    var write: Unmanaged<CFWriteStream>?
    // The streams have another descriptor from the moment that they are open.
    unsafe CFStreamCreatePairWithSocket(nil, dup(peer.number), &read, &write)
    let input = try #require(unsafe read?.takeRetainedValue())
    let output = try #require(unsafe write?.takeRetainedValue())
    input.setProperty(
      true, forKey: kCFStreamPropertyShouldCloseNativeSocket as Stream.PropertyKey)
    return (input, output)
  }

  @Test(.enabled(if: Programs.mustHave("openssl")))
  func anotherImplementationIsSpokenWith() async throws {
    let folder = try TemporaryFolder()
    let certificate = StreamSecurityTests.authority.server(["localhost", "127.0.0.1"])
    let files = try certificate.write(to: folder)
    try await OwnThread.run {
      let server = try ChildProcess(
        "/usr/bin/openssl",
        [
          "s_server", "-accept", "127.0.0.1:0", "-cert", files.chain, "-key", files.key, "-rev",
          "-naccept", "1",
        ])
      let line = try server.outputLine(containing: "ACCEPT")
      let port = try #require(line.split(separator: ":").last.flatMap { Int($0) })
      let pair = StreamPair(host: "127.0.0.1", port: port)
      pair.input.setProperty(try StreamSecurityTests.anchors(), forKey: .trustAnchors)
      pair.input.setProperty(
        StreamSocketSecurityLevel.negotiatedSSL, forKey: .socketSecurityLevelKey)
      pair.open()
      #expect(pair.output.writeAll(Array("hello\n".utf8)))
      var answer: [UInt8] = []
      while answer.last != 10, let some = pair.input.readOnce(), !some.isEmpty { answer += some }
      #expect(String(decoding: answer, as: UTF8.self) == "olleh\n")
      pair.close()
      server.send(15)
      _ = try server.exitCode()
    }
  }

  @Test func settingsThatMakeNoSenseAreRefused() async throws {
    try await OwnThread.run {
      let pair = StreamPair(host: "127.0.0.1", port: 1)
      let key = kCFStreamPropertySSLSettings as Stream.PropertyKey
      #expect(!pair.input.setProperty("yes", forKey: key))
      #expect(!pair.input.setProperty(["unknown": 1], forKey: key))
      #expect(!pair.input.setProperty([kCFStreamSSLIsServer as String: true], forKey: key))
      #expect(
        !pair.input.setProperty(StreamSocketSecurityLevel.ssLv3, forKey: .socketSecurityLevelKey))
      #expect(!pair.input.setProperty(1, forKey: Stream.PropertyKey(rawValue: "unknown")))
      #expect(pair.input.property(forKey: Stream.PropertyKey(rawValue: "unknown")) == nil)
    }
  }
}
