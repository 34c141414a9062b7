import Kernel
import Sockets
import TestSupport
import Testing

/// Where the code of a connection runs, and what it costs.
@Suite struct IsolationTests {
  @Test("A handler stays on its connection's thread, through everything it waits for")
  func staysOnTheLoop() async throws {
    let listener = try await Listener(at: .ip(.loopback4, port: 0))
    let serving = Task {
      await listener.run { connection in
        let thread = KernelThread.current
        for _ in 0..<100 {
          try await connection.send(try await connection.receive(exactly: 1))
          guard KernelThread.current == thread else { return }
        }
      }
    }
    let port = try #require(listener.address.port)
    let count = try await Connection.with("127.0.0.1", port: port) { connection in
      let thread = KernelThread.current
      for value in 0..<100 {
        try await connection.send([UInt8(value)])
        guard try await connection.receive(exactly: 1) == [UInt8(value)],
          KernelThread.current == thread
        else { return value }
      }
      return 100
    }
    #expect(count == 100)
    await listener.close()
    await serving.value
  }

  @Test("A scope that throws resets the connection")
  func scopeThrows() async throws {
    let listening = try PlayedSocket.listening()
    let port = try #require(try listening.address.port)
    await #expect(throws: Errno.invalidArgument) {
      try await Connection.with("127.0.0.1", port: port) { connection in
        try await connection.send([1])
        throw Errno.invalidArgument
      }
    }
    #expect(try await listening.accept().receiveAll().end == .reset)
  }

  @Test(
    "In the steady state a handler's receives and sends allocate nothing",
    .enabled(if: Allocations.areCounted))
  func allocatesNothing() async throws {
    let listener = try await Listener(at: .ip(.loopback4, port: 0))
    let counted = Lock<[UInt64]>([])
    let serving = Task {
      await listener.run { connection in
        var buffer = [UInt8](repeating: 0, count: 1000)
        func echo() async throws {
          for _ in 0..<100 {
            let count = try await connection.receive(into: &buffer, atLeast: 1)
            try await connection.send(buffer[..<count])
          }
        }
        try await echo()
        let before = Allocations.count
        try await echo()
        let after = Allocations.count
        counted.withLock { $0.append(after - before) }
      }
    }
    let client = try await PlayedSocket.connected(to: listener.address)
    for _ in 0..<200 {
      try await client.send([1, 2, 3])
      #expect(try await client.receiveAll(limit: 3).bytes == [1, 2, 3])
    }
    #expect(try await client.receiveAll().end == .endOfStream)
    await listener.close()
    await serving.value
    #expect(counted.withLock { $0 } == [0])
  }
}
