import Kernel
import Sockets
import TestSupport
import Testing

/// Connections under TLS, with ourselves and with OpenSSL's own programs at the other end.
@Suite struct SecureConnectionTests {
  private let authority = TestAuthority()

  private func anchors() throws -> TrustAnchors {
    .certificates(try Certificate.load(pem: authority.certificatePEM))
  }

  private func identity(_ certificate: TestCertificate) throws -> Identity {
    try Identity(pem: certificate.chainPEM, keyPEM: certificate.keyPEM)
  }

  private func server(_ certificate: TestCertificate) throws -> ListenerOptions {
    var options = ListenerOptions()
    options.tls = TLSConfiguration(.server, identity: try identity(certificate))
    return options
  }

  private func client(
    _ change: (inout TLSConfiguration) -> Void = { _ in }
  ) throws -> ConnectionOptions {
    var options = ConnectionOptions()
    var configuration = TLSConfiguration(.client(hostName: nil))
    configuration.anchors = try anchors()
    change(&configuration)
    options.tls = configuration
    return options
  }

  /// Serves an echo and gives `body` its port.
  private func withEcho(
    _ options: ListenerOptions, _ body: (UInt16) async throws -> Void
  ) async throws {
    let listener = try await Listener(at: .ip(.loopback4, port: 0), options: options)
    let serving = Task {
      await listener.run { connection in
        while true {
          let bytes = try await connection.receive(atMost: 65_536)
          if bytes.isEmpty { return }
          try await connection.send(bytes)
        }
      }
    }
    try await body(try #require(listener.address.port))
    await listener.close()
    await serving.value
  }

  @Test("A megabyte goes there and back under TLS", arguments: [TLSVersion.v1_2, .v1_3])
  func megabyte(version: TLSVersion) async throws {
    try await withEcho(try server(authority.server())) { port in
      let options = try client { $0.maximumVersion = version }
      let connection = try await Connection.connect(to: "localhost", port: port, options: options)
      let bytes = patterned(1_000_000)
      let sending = Task { try await connection.send(bytes, endOfStream: true) }
      #expect(try await connection.receive(exactly: bytes.count) == bytes)
      try await sending.value
      #expect(try await connection.receive(atMost: 1) == [])
      #expect(await connection.tlsSession?.version == version)
      await connection.close()
    }
  }

  @Test("A server whose certificate is for another host is not spoken to")
  func wrongHost() async throws {
    try await withEcho(try server(authority.server(["other.example"]))) { port in
      let options = try client()
      let error = await #expect(throws: SocketError.self) {
        try await Connection.connect(to: "localhost", port: port, options: options)
      }
      #expect("\(String(describing: error))".contains("other.example"), "the error names it")
    }
  }

  @Test("A decision may take its time, and no byte passes before it", arguments: [true, false])
  func decides(isTrusted: Bool) async throws {
    try await withEcho(try server(authority.server(["other.example"]))) { port in
      let connection = try await Connection.connect(to: "localhost", port: port)
      var configuration = TLSConfiguration(.client(hostName: "localhost"))
      configuration.decidesTrust = true
      do {
        try await connection.startTLS(configuration) { peer in
          for _ in 0..<100 { await Task.yield() }
          return isTrusted && peer.certificates.count == 1
        }
        #expect(isTrusted)
        try await connection.send([1, 2, 3])
        #expect(try await connection.receive(exactly: 3) == [1, 2, 3])
      } catch {
        #expect(!isTrusted)
      }
      await connection.close()
    }
  }

  @Test("A client that is asked for a certificate gives it")
  func mutual() async throws {
    var options = try server(authority.server())
    options.tls?.asksForClientCertificate = .required
    options.tls?.anchors = try anchors()
    try await withEcho(options) { port in
      let own = try identity(authority.client())
      let connection = try await Connection.connect(
        to: "localhost", port: port, options: try client { $0.identity = own })
      try await connection.send([7])
      #expect(try await connection.receive(exactly: 1) == [7])
      await connection.close()
    }
  }

  @Test("A handshake that never comes ends with its time")
  func handshakeTimeout() async throws {
    let listening = try PlayedSocket.listening()
    let connection = try await Connection.connect(to: try listening.address)
    await #expect(throws: SocketError.tls(.handshakeTimedOut)) {
      try await connection.startTLS(
        TLSConfiguration(.client(hostName: "localhost")), timeout: .milliseconds(20))
    }
    await #expect(throws: SocketError.self) { try await connection.send([1]) }
    await connection.abort()
  }

  @Test("A connection that ends without an end of TLS was cut off")
  func truncation() async throws {
    let listener = try await Listener(
      at: .ip(.loopback4, port: 0), options: try server(authority.server()))
    let serving = Task {
      let connection = try await listener.accept()
      try await connection.send([1, 2, 3])
      // The socket's end, behind TLS's back.
      try await connection.withDescriptor { socket throws(Errno) in try socket.shutdownWrite() }
      _ = try? await connection.receive(atMost: 1)
    }
    let connection = try await Connection.connect(
      to: "localhost", port: try #require(listener.address.port), options: try client())
    #expect(try await connection.receive(exactly: 3) == [1, 2, 3])
    await #expect(throws: SocketError.tls(.truncated)) { try await connection.receive(atMost: 1) }
    await connection.abort()
    try await serving.value
    await listener.close()
  }

  @Test("OpenSSL's client is served", .enabled(if: Programs.mustHave("openssl")))
  func opensslClient() async throws {
    let folder = try TemporaryFolder()
    let file = try folder.write(authority.certificatePEM, to: "authority.pem")
    try await withEcho(try server(authority.server())) { port in
      let output = try await offPool {
        let process = try ChildProcess(
          "/bin/sh",
          [
            "-c",
            // More than a pipe holds follows what is read: the client ends when nobody reads on.
            "(echo hello; head -c 400000 /dev/zero | tr '\\0' x) | openssl s_client -quiet "
              + "-verify_return_error -CAfile \(file) -servername localhost "
              + "-connect 127.0.0.1:\(port) | head -c 5",
          ])
        _ = try process.exitCode()
        return process.outputText
      }
      #expect(output == "hello")
    }
  }

  @Test("curl is served over TLS", .enabled(if: Programs.mustHave("curl")))
  func curl() async throws {
    let folder = try TemporaryFolder()
    let file = try folder.write(authority.certificatePEM, to: "authority.pem")
    let listener = try await Listener(
      at: .ip(.loopback4, port: 0), options: try server(authority.server()))
    let page = String(repeating: "page", count: 100_000)
    let serving = Task {
      await listener.run { connection in
        _ = try await connection.receive(until: Array("\r\n\r\n".utf8), limit: 8192)
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(page.utf8.count)\r\n\r\n"
        try await connection.send(Array((head + page).utf8))
      }
    }
    let port = try #require(listener.address.port)
    let output = try await offPool {
      let process = try ChildProcess(
        "curl",
        ["-sS", "--max-time", "30", "--cacert", file, "https://localhost:\(port)/"])
      #expect(try process.exitCode() == 0, "\(process.errorText)")
      return process.outputText
    }
    #expect(output == page)
    await listener.close()
    await serving.value
  }
}
