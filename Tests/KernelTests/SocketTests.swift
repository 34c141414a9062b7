import Kernel
import Testing

@Suite struct SocketTests {
  @Test func severalSocketsShareAPortOnlyWithTheOption() throws {
    let first = try Descriptor.streamSocket(for: .ip(.loopback4, port: 0))
    try first.set(.reusePort, 1)
    try first.bind(to: .ip(.loopback4, port: 0))
    try first.listen(backlog: 1)
    let address = try first.localAddress()
    let second = try Descriptor.streamSocket(for: address)
    try second.set(.reusePort, 1)
    try second.bind(to: address)
    try second.listen(backlog: 1)
    let third = try Descriptor.streamSocket(for: address)
    #expect(throws: Errno.addressInUse) { try third.bind(to: address) }
  }

  @Test func optionsReadAsTheyWereSet() throws {
    let socket = try Descriptor.streamSocket(for: .ip(.loopback6, port: 0))
    for option in [
      SocketOption.reuseAddress, .reusePort, .ipv6Only, .noDelay, .urgentInline, .userTimeout,
    ] {
      try socket.set(option, 1)
      #expect(try socket.get(option) == 1)
      try socket.set(option, 0)
      #expect(try socket.get(option) == 0)
    }
    try socket.set(.receiveBuffer, 65_536)
    #expect(try socket.get(.receiveBuffer) >= 65_536)
    try socket.set(Keepalive(idleSeconds: 60, intervalSeconds: 10, count: 6))
  }

  @Test func aListenerSaysThatItListens() throws {
    let socket = try Descriptor.streamSocket(for: .ip(.loopback4, port: 0))
    #expect(try socket.get(.isListening) == 0)
    try socket.bind(to: .ip(.loopback4, port: 0))
    try socket.listen(backlog: 1)
    #expect(try socket.get(.isListening) == 1)
    #expect(try socket.accept() == nil)
  }

  @Test func aRefusalIsTheSocketsPendingError() throws {
    let unused = try Descriptor.streamSocket(for: .ip(.loopback4, port: 0))
    try unused.bind(to: .ip(.loopback4, port: 0))
    let address = try unused.localAddress()
    let client = try Descriptor.streamSocket(for: address)
    // The kernel may know it before connect(2) returns.
    guard case .inProgress? = try? client.connect(to: address) else { return }
    try wait(for: .writable, client)
    #expect(try client.takeError() == .connectionRefused)
    #expect(try client.takeError() == nil)
  }

  @Test func aClosedWindowIsSeen() throws {
    let pair = try SocketPair()
    #expect(try !pair.near.peerWindowIsClosed())
    #expect(try pair.near.unacknowledged() == 0)
  }
}
