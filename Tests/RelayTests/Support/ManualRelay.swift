import Kernel
import Reactor
import TestSupport
import Testing

@testable import Relay

/// A relay loop over the real kernel without a thread of its own: nothing happens before the test
/// turns it, so that a test decides what the relay finds when it looks.
final class ManualRelay {
  let loop: EventLoop
  let home: RelayLoop
  let witness = Witness()
  let server: BlockingSocket
  let address: SocketAddress
  let listener: StreamListener

  /// Listens at `wanted`, or on the descriptor `inherited` that it takes over.
  init(
    at wanted: SocketAddress = .ip(.loopback4, port: 0), inherited: Int32? = nil,
    to target: SocketAddress = .ip(.loopback4, port: 0), flows: Int = 10,
    ftp: FTPSettings? = nil, observer: (any RelayObserver)? = nil
  ) throws {
    SignalSource.ignoreBrokenPipe()
    loop = try EventLoop()
    home = try RelayLoop(
      loop: loop, system: LinuxStreams(), observer: observer ?? witness,
      budget: FlowBudget(capacity: flows),
      limits: RelayLimits(descriptorLimit: 100, openDescriptors: 10, loops: 1, listeners: 1),
      names: { _ in ScriptedNames() })
    server = try .listening(at: target)
    var tunnel = StreamTunnel(name: "manual", targets: [.address(try server.address)])
    tunnel.settings.ftp = ftp
    let settings = tunnel.settings
    let sockets =
      try inherited.map { try ListenSockets.adopt($0, count: 1, settings: settings) }
      ?? ListenSockets.open(wanted, count: 1, settings: settings)
    address = sockets.address
    listener = StreamListener(
      Descriptor(adopting: sockets.numbers[0]), at: address, isShared: sockets.isShared,
      tunnel: ActiveTunnel(tunnel, budget: FlowBudget(capacity: .max)), home: home)
    listener.open()
  }

  deinit {
    listener.close()
    home.shutDown()
    loop.end()
  }

  /// A unix address in the abstract namespace that nobody else has.
  static func unixAddress() -> SocketAddress {
    .unix(.abstract("adit-test-\(UInt64.random(in: 0 ... .max))"))
  }

  /// A connection through the relay, from both ends, that the relay knows to be connected.
  func pair() throws -> (client: BlockingSocket, server: BlockingSocket) {
    let client = try BlockingSocket.connected(to: address)
    let server = try acceptedByServer()
    try turn { home.flows.last?.dialer == nil }
    return (client, server)
  }

  /// Turns until the relay has begun to connect, and takes the server's end.
  func acceptedByServer() throws -> BlockingSocket {
    try turn { server.hasInput() }
    return try server.accept()
  }

  /// Does what is due, or waits for it.
  func turn() throws {
    try loop.turn(waitAtMost: .seconds(5))
  }

  /// Turns until `condition` holds, at most 20 seconds.
  func turn(
    until condition: () -> Bool, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let end = Instant.now() + .seconds(20)
    while !condition() {
      guard Instant.now() < end else {
        Issue.record("it did not come in 20 seconds", sourceLocation: sourceLocation)
        throw Errno.timedOut
      }
      try loop.turn(waitAtMost: .milliseconds(10))
    }
  }

  /// Turns until the only flow has ended: how it did.
  func end(sourceLocation: SourceLocation = #_sourceLocation) throws -> FlowEnd? {
    try turn(until: { !witness.records.isEmpty }, sourceLocation: sourceLocation)
    return witness.records[0].end
  }
}
