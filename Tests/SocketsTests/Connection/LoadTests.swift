import Kernel
import Sockets
import TestSupport
import Testing

/// Many connections at once.
@Suite struct LoadTests {
  @Test("A thousand connections echo in pieces of any size", .timeLimit(.minutes(2)))
  func thousand() async throws {
    let listener = try await Listener(at: .ip(.loopback4, port: 0))
    let serving = Task {
      await listener.run { connection in
        while true {
          let bytes = try await connection.receive(atMost: 3000)
          if bytes.isEmpty { return }
          try await connection.send(bytes)
        }
      }
    }
    let wrong = await withTaskGroup(of: Bool.self) { group in
      for seed in 0..<1000 {
        group.addTask { await !LoadTests.echoes(UInt64(seed), at: listener.address) }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(wrong == 0)
    await listener.close()
    await serving.value
  }

  private static func echoes(_ seed: UInt64, at address: SocketAddress) async -> Bool {
    var random = Seeded(seed)
    do {
      let connection = try await Connection.connect(to: address)
      for _ in 0..<5 {
        let bytes = patterned(Int.random(in: 1...9000, using: &random))
        async let sent: Void = connection.send(bytes)
        guard try await connection.receive(exactly: bytes.count, timeout: .seconds(60)) == bytes
        else { return false }
        try await sent
      }
      await connection.close()
      return true
    } catch {
      return false
    }
  }

  @Test("What was connected, accepted and dropped leaves no descriptor")
  func leavesNothing() async {
    await #expect(processExitsWith: .success) {
      // The loops and the runtime's own come with the first.
      try await LoadTests.connectAndDrop(1)
      let growth = DescriptorGrowth()
      try await LoadTests.connectAndDrop(DescriptorGrowth.many)
      let deadline = Instant.now() + .seconds(20)
      while !growth.isAbout(0), Instant.now() < deadline { await Task.yield() }
      precondition(growth.isAbout(0), "descriptors were left open")
    }
  }

  private static func connectAndDrop(_ count: Int) async throws {
    let listener = try await Listener(at: .ip(.loopback4, port: 0))
    for _ in 0..<count {
      async let accepted = listener.accept()
      let connection = try await Connection.connect(to: listener.address)
      _ = try await accepted
      try await connection.send([1])
    }
    await listener.close()
  }
}
