import Foundation
import Glibc
import Kernel
import TestSupport
import Testing

/// Programs of other people through the tunnel: curl and, where it is there, nginx.
@Suite struct RealClientTests {
  /// What `.ci/run` must have; elsewhere the tests are for whoever has it.
  private static let haveCurl = Programs.mustHave("curl")
  private static let haveServer = haveCurl && Programs.mustHave("nginx")

  @Test("A page comes whole through a tunnel to curl", .enabled(if: haveCurl))
  func curlPage() throws {
    let server = try BlockingSocket.listening()
    let adit = try RunningAdit(["forward", "0", try server.target])
    let curl = try ChildProcess(
      "curl", ["-sS", "--max-time", "30", "http://\(try adit.listening())/"])
    let accepted = try server.accept()
    #expect(accepted.receive(limit: 14).text == "GET / HTTP/1.1")
    let page = String(repeating: "page", count: 250_000)
    try accepted.send("HTTP/1.1 200 OK\r\nContent-Length: \(page.utf8.count)\r\n\r\n\(page)")
    #expect(try curl.exitCode() == 0)
    #expect(curl.outputText == page)
  }

  @Test(
    "A web server's large file comes whole over HTTP/1.1 and over HTTP/2",
    .enabled(if: haveServer), arguments: ["--http1.1", "--http2-prior-knowledge"])
  func largeFile(version: String) throws {
    let folder = try TemporaryFolder()
    let contents = (0..<1_000_000).map { "\($0 * 7 % 1_000_003)" }.joined(separator: "\n")
    let original = try folder.write(contents, to: "file")
    let isSecond = version == "--http2-prior-knowledge"
    let server = try webServer(in: folder, listen: isSecond ? " http2" : "")
    try waitForServer(at: folder.file("web"), server)
    let adit = try RunningAdit(["forward", "0", "unix:\(folder.file("web"))"])
    let place = try adit.listening()
    let names = ["a", "b", "c"].map { folder.file($0) }
    let clients = try names.map { name in
      try ChildProcess(
        "curl",
        [
          "-sS", version, "--max-time", "60", "-w", "%{http_version}\n", "-o", name,
          "http://\(place)/file",
        ])
    }
    for client in clients {
      #expect(try client.exitCode() == 0, "\(client.errorText)")
      #expect(client.outputText == (isSecond ? "2\n" : "1.1\n"))
    }
    let compare = try ChildProcess(
      "/bin/sh",
      ["-c", "for file; do cmp \(original) \"$file\" || exit 1; done", "sh"] + names)
    #expect(try compare.exitCode() == 0, "\(compare.outputText)")
  }

  /// Connects until somebody listens.
  private func waitForServer(at path: String, _ server: ChildProcess) throws {
    let deadline = Instant.now() + ChildProcess.patience
    while (try? BlockingSocket.connected(to: .unix(.path(path)))) == nil {
      try #require(Instant.now() < deadline, "nginx does not listen: \(server.errorText)")
    }
  }

  /// nginx at the unix socket `web` of the folder, whose files it serves.
  private func webServer(in folder: TemporaryFolder, listen: String) throws -> ChildProcess {
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
      "\($0)_temp_path \(folder.file($0));"
    }
    let configuration = try folder.write(
      """
      daemon off; master_process off; pid \(folder.file("pid")); error_log stderr;
      user root; events {}
      http {
        access_log off; \(temporary.joined(separator: " "))
        server { listen unix:\(folder.file("web"))\(listen); root \(folder.path); }
      }
      """, to: "nginx.conf")
    return try ChildProcess(
      "nginx", ["-p", folder.path, "-c", configuration, "-e", "stderr"])
  }
}
