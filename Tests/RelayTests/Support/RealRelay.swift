import Kernel
import Reactor
import TestSupport

@testable import Relay

/// A relay on threads of its own, from a free port to a server of the test's.
final class RealRelay {
  let group: LoopGroup
  let relay: PortRelay
  let witness = Witness()
  let server: BlockingSocket
  let listener: RelayListener

  init(
    loops: Int = 1, settings: StreamSettings = StreamSettings(),
    at address: ListenAddress = .address(.ip(.loopback4, port: 0)),
    to target: SocketAddress? = nil, limits: ((inout RelayLimits) -> Void)? = nil
  ) throws {
    SignalSource.ignoreBrokenPipe()
    group = try LoopGroup(count: loops, name: "relay")
    var bounds = RelayLimits(descriptorLimit: 1000, openDescriptors: 10, loops: loops, listeners: 1)
    limits?(&bounds)
    relay = try PortRelay(loops: group.loops, limits: bounds, observer: witness)
    server = try .listening(at: target ?? .ip(.loopback4, port: 0))
    let tunnel = StreamTunnel(
      name: "real", targets: [.address(try server.address)], settings: settings)
    listener = try relay.listen(at: address, for: tunnel)
  }

  var address: SocketAddress { listener.addresses[0] }

  /// A connection through the relay, from both ends.
  func pair() throws -> (client: BlockingSocket, server: BlockingSocket) {
    let client = try BlockingSocket.connected(to: address)
    return (client, try server.accept())
  }

  /// Waits until every loop has done what it was asked before.
  func waitForLoops() {
    let done = Signal()
    relay.counters { _ in done.send() }
    done.wait()
  }

  deinit {
    relay.close(listener)
    relay.shutDown()
    group.shutDown()
  }
}
