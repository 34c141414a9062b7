import Glibc
import Kernel
import TestSupport
import Testing

/// `adit forward` under a service manager, and at unix sockets.
@Suite struct ServiceRunTests {
  private let folder: TemporaryFolder
  private let server: BlockingSocket

  init() throws {
    folder = try TemporaryFolder()
    server = try BlockingSocket.listening()
  }

  @Test("The service manager is told of start, reload and end", arguments: [false, true])
  func notifies(abstract: Bool) throws {
    let path = folder.file("notify")
    let receiver = try DatagramReceiver(at: abstract ? .abstract(path) : .path(path))
    let file = try folder.write(
      "[[tunnel]]\nname = \"a\"\nlisten = \"0\"\ntarget = \"\(try server.target)\"\n",
      to: "a.toml")
    let adit = try RunningAdit(
      ["forward", "--config", file], environment: ["NOTIFY_SOCKET": abstract ? "@" + path : path])
    #expect(receiver.receive() == "READY=1\nSTATUS=1 tunnels, 1 listeners")
    adit.process.send(SIGHUP)
    let reloading = try #require(receiver.receive()).split(separator: "\n")
    #expect(reloading[0] == "RELOADING=1")
    let time = try #require(UInt64(reloading[1].dropFirst("MONOTONIC_USEC=".count)))
    #expect(time <= Instant.now().nanoseconds / 1000)
    #expect(receiver.receive()?.hasPrefix("READY=1\n") == true)
    adit.process.send(SIGTERM)
    #expect(receiver.receive() == "STOPPING=1\nSTATUS=draining 0 flows")
    #expect(try adit.process.exitCode() == 0)
  }

  @Test("Sockets of the service manager are taken by name and by number", arguments: ["web", "3"])
  func takesSockets(name: String) throws {
    let passed = try BlockingSocket.listening()
    let adit = try RunningAdit(
      after: "export LISTEN_PID=$$ LISTEN_FDS=1 LISTEN_FDNAMES=web",
      ["forward", "fd:\(name)", try server.target], inherited: [passed.number])
    #expect(try adit.listening() == passed.address)
    let client = try BlockingSocket.connected(to: try passed.address)
    #expect(try carries(client, try server.accept(), "passed"))
  }

  @Test("An unknown name lists those there are")
  func listsSockets() throws {
    let passed = try BlockingSocket.listening()
    let adit = try RunningAdit(
      after: "export LISTEN_PID=$$ LISTEN_FDS=2 LISTEN_FDNAMES=web:mail",
      ["forward", "fd:wbe", try server.target], inherited: [passed.number, passed.number])
    #expect(try adit.process.exitCode() == 1)
    #expect(adit.process.errorText.contains("there are fd:web, fd:mail"))
  }

  @Test("A passed descriptor that is no listener is refused by its number")
  func refusesOtherDescriptors() throws {
    let adit = try RunningAdit(
      after: "export LISTEN_PID=$$ LISTEN_FDS=1 LISTEN_FDNAMES=web",
      ["forward", "fd:web", try server.target], inherited: [0])
    #expect(try adit.process.exitCode() == 1)
    #expect(adit.process.errorText.contains("is not a listening stream socket"))
  }

  @Test("Unix sockets carry, by path and by abstract name, and the file goes with the program")
  func unixSockets() throws {
    let path = folder.file("in")
    let target = try BlockingSocket.listening(at: .unix(.abstract(folder.file("out"))))
    let adit = try RunningAdit(["forward", "unix:\(path)", "unix:@\(folder.file("out"))"])
    let client = try adit.connect()
    #expect(try carries(client, try target.accept(), "unix"))
    #expect(try FileStatus(of: path) != nil)
    adit.process.send(SIGTERM)
    try client.endStream()
    adit.process.send(SIGTERM)
    #expect(try adit.process.exitCode() == 0)
    #expect(try FileStatus(of: path) == nil)
    let abstract = try RunningAdit(["forward", "unix:@\(path)", try server.target])
    let other = try abstract.connect()
    #expect(try carries(other, try server.accept(), "abstract"))
  }

  @Test("The socket file of a process that is gone is replaced")
  func replacesStaleSocket() throws {
    let path = folder.file("in")
    let killed = try RunningAdit(["forward", "unix:\(path)", try server.target])
    _ = try killed.listening()
    killed.process.send(SIGKILL)
    _ = try killed.process.exitCode()
    #expect(try FileStatus(of: path) != nil)
    let adit = try RunningAdit(["forward", "unix:\(path)", try server.target])
    #expect(try carries(try adit.connect(), try server.accept(), "again"))
  }

  @Test("A live socket and a foreign file are refused and stay")
  func refusesLiveSocket() throws {
    let path = folder.file("in")
    let first = try RunningAdit(["forward", "unix:\(path)", try server.target])
    let client = try first.connect()
    let second = try RunningAdit(["forward", "unix:\(path)", try server.target])
    #expect(try second.process.exitCode() == 1)
    #expect(second.process.errorText.contains("another program listens there"))
    #expect(try carries(client, try server.accept(), "first"))
    let file = try folder.write("text", to: "file")
    let third = try RunningAdit(["forward", "unix:\(file)", try server.target])
    #expect(try third.process.exitCode() == 1)
    #expect(third.process.errorText.contains("the file is not a socket of this user"))
    #expect(try FileStatus(of: file) != nil)
  }
}
