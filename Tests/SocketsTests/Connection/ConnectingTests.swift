import Glibc
import Kernel
import Sockets
import TestSupport
import Testing

/// How connections are made, and that what cannot be is said.
@Suite struct ConnectingTests {
  @Test("Every kind of address is connected to", arguments: ["127.0.0.1", "::1", "localhost"])
  func hosts(host: String) async throws {
    let any: IPAddress = host == "::1" ? .loopback6 : .loopback4
    let listener = try await Listener(at: .ip(any, port: 0))
    async let accepted = listener.accept()
    let port = try #require(listener.address.port)
    let connection = try await Connection.connect(to: host, port: port)
    let other = try await accepted
    try await connection.send([1, 2, 3])
    #expect(try await other.receive(exactly: 3) == [1, 2, 3])
    #expect(connection.remoteAddress == other.localAddress)
    #expect(connection.localAddress == other.remoteAddress)
    #expect(connection.identifier != other.identifier)
    await listener.close()
  }

  @Test(
    "Unix sockets carry bytes, by path and in the abstract namespace", arguments: [true, false])
  func unix(isAbstract: Bool) async throws {
    let folder = try TemporaryFolder()
    let name: UnixName = isAbstract ? .abstract(folder.path) : .path(folder.file("socket"))
    let listener = try await Listener(at: .unix(name))
    async let accepted = listener.accept()
    let connection = try await Connection.connect(to: .unix(name))
    let other = try await accepted
    try await connection.send(patterned(100_000), endOfStream: true)
    #expect(try await other.receive(exactly: 100_000) == patterned(100_000))
    #expect(try await other.receive(atMost: 1) == [])
    let peer = try await other.peerCredentials()
    #expect(peer.process == getpid() && peer.user == geteuid() && peer.group == getegid())
    await listener.close()
    #expect(try FileStatus(of: folder.file("socket")) == nil, "the file goes with the listener")
  }

  @Test("Descriptors travel over unix sockets, behind the bytes before them")
  func passing() async throws {
    let folder = try TemporaryFolder()
    let listener = try await Listener(at: .unix(.path(folder.file("socket"))))
    async let accepted = listener.accept()
    let connection = try await Connection.connect(to: listener.address)
    let other = try await accepted
    let carried = try BlockingSocket.listening()
    let place = try carried.address
    let passed = PassedDescriptor(try #require(InheritedDescriptor(carried.number)).duplicate())
    try await connection.send([1])
    try await connection.send([2, 3], passing: [passed, passed])
    #expect(try await other.receive(exactly: 1) == [1])
    let received = try await other.receivePassed(atMost: 10)
    #expect(received.bytes == [2, 3])
    #expect(try received.descriptors.map { try $0.descriptor.localAddress() } == [place, place])
    await #expect(throws: SocketError.self) { try await connection.send([1], passing: []) }
  }

  @Test("A connection is adopted from a descriptor, also one of a socket pair")
  func adoption() async throws {
    var ends: (Int32, Int32) = (-1, -1)
    let result = unsafe withUnsafeMutableBytes(of: &ends) { bytes in
      unsafe socketpair(
        AF_UNIX, Int32(SOCK_STREAM.rawValue), 0,
        bytes.baseAddress?.assumingMemoryBound(to: Int32.self))
    }
    #expect(result == 0)
    let one = try await Connection.adopt(Descriptor(adopting: ends.0))
    let other = try await Connection.adopt(Descriptor(adopting: ends.1))
    try await one.send([1, 2], endOfStream: true)
    #expect(try await other.receive(exactly: 2) == [1, 2])
    #expect(try await other.receive(atMost: 1) == [])
    await #expect(throws: SocketError.self, "no socket is no connection") {
      _ = try await Connection.adopt(try Descriptor.quiet())
    }
  }

  @Test("A refused connection names the address and the reason")
  func refusal() async throws {
    let free = try BlockingSocket.listening().address
    do {
      _ = try await Connection.connect(to: free)
      Issue.record("nobody listens at \(free)")
    } catch {
      #expect(error == .unreachable("\(free)", .refused), "\(error)")
    }
  }

  @Test("What cannot be connected to is an error that names it")
  func badInput() async throws {
    let long = String(repeating: "a", count: 108)
    await #expect(throws: SocketError.self) {
      try await Connection.connect(to: .unix(.path(long)))
    }
    await #expect(throws: SocketError.self) { try await Listener(at: .unix(.path(long))) }
    await #expect(throws: SocketError.self) { try await Listener(at: .unix(.path(""))) }
    await #expect(throws: SocketError.name("no such host.invalid", .badName)) {
      try await Connection.connect(to: "no such host.invalid", port: 1)
    }
    var options = ConnectionOptions()
    options.interface = "nothing-7"
    do {
      _ = try await Connection.connect(to: "127.0.0.1", port: 1, options: options)
      Issue.record("there is no such interface")
    } catch {
      #expect("\(error)".contains("nothing-7"))
    }
    options = ConnectionOptions()
    options.families = []
    await #expect(throws: SocketError.self) {
      try await Connection.connect(to: "127.0.0.1", port: 1, options: options)
    }
  }

  @Test("The local address and port are those that were asked for")
  func localAddress() async throws {
    let listening = try PlayedSocket.listening()
    var options = ConnectionOptions()
    options.localAddress = IPAddress("127.0.0.5")
    let connection = try await Connection.connect(to: try listening.address, options: options)
    #expect(try await listening.accept().socket.peerAddress == connection.localAddress)
    guard case .ip(let address, _) = connection.localAddress else { return }
    #expect(address == IPAddress("127.0.0.5"))
  }

  @Test("A file in the way of a listener is left alone")
  func foreignFile() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("mine", to: "file")
    await #expect(throws: SocketError.self) { try await Listener(at: .unix(.path(path))) }
    #expect(try FileStatus(of: path) != nil)
  }

  @Test("A closed listener's port is free, and accepts end")
  func closesListener() async throws {
    let listener = try await Listener(at: .ip(.loopback4, port: 0))
    let accepting = Task { try await listener.accept() }
    await Task.yield()
    await listener.close()
    await #expect(throws: SocketError.closed) { _ = try await accepting.value }
    let again = try await Listener(at: listener.address)
    #expect(again.address == listener.address)
    var count = 0
    await listener.close()
    for try await _ in listener.connections { count += 1 }
    #expect(count == 0)
  }

  @Test("An address in use is an error that names it")
  func inUse() async throws {
    let listener = try await Listener(at: .ip(.loopback4, port: 0))
    await #expect(
      throws: SocketError.system(.addressInUse, doing: "listening at \(listener.address)")
    ) { try await Listener(at: listener.address) }
  }
}
