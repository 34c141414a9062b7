internal import Kernel
internal import Reactor

/// Reaches the first of a tunnel's targets that answers.
final class Dialer: EventHandler {
  private unowned let flow: StreamFlow
  private var socket: Descriptor?
  private var registration = Registration.none
  private var address = SocketAddress.unix(.unnamed)

  init(_ flow: StreamFlow) { self.flow = flow }

  func start() {
    guard case .address(let address) = flow.tunnel.targets[0] else { return }
    self.address = address
    do {
      let socket = try flow.home.system.open(for: address)
      _ = try flow.home.system.connect(socket, to: address)
      registration = try flow.home.loop.watch(socket, self)
      self.socket = consume socket
    } catch {
      flow.unreachable(.system(error))
    }
  }

  func handle(_ readiness: Readiness, tag: UInt32) {
    attemptIsReady(readiness)
  }

  func attemptIsReady(_ readiness: Readiness) {
    guard let socket = socket.take() else { return }
    if readiness.contains(.error) || readiness.contains(.hungUp) {
      let error = (try? flow.home.system.takeError(socket)) ?? nil
      flow.home.loop.forget(registration)
      flow.unreachable(.system(error ?? .connectionRefused))
      return
    }
    flow.connected(Endpoint(socket, registration, peer: address))
  }

  func abandon() {
    if socket.take() != nil { flow.home.loop.forget(registration) }
  }
}
