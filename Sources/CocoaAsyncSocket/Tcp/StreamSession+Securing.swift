internal import Foundation
internal import Kernel
internal import Security
internal import Sockets
internal import TLS

/// TLS. Its marker stands in both queues; the handshake begins when both have come to it, and they
/// go on when it is over.
extension StreamSession {
  func beginTLS() {
    guard let plan = handshakes.popFirst(), let transport else { return }
    guard !transport.isSecure else {
      return end(.invalid("TLS on a connection that has it", expected: "one startTLS"))
    }
    isHandshaking = true
    anchors = plan.anchors
    do throws(SocketError) {
      try transport.startTLS(plan.context, early: reads.takeKept(), timeout: plan.timeout)
    } catch {
      end(error)
    }
  }

  func transportIsSecure() {
    isHandshaking = false
    reads.passSecure()
    writes.passSecure()
    socket?.secured(self)
    tell { delegate, socket in delegate.socketDidSecure(socket) }
  }

  func transportAsksTrust(_ peer: PeerTrust) {
    let trust = SecTrust(peer, anchors: anchors)
    let isAsked = socket?.ask(generation, home.loop) { [weak self] delegate, socket in
      delegate.socket(socket, didReceive: trust) { isTrusted in
        self?.send(.decide(isTrusted))
      }
    }
    if isAsked != true { send(.decide(false)) }
  }

  func transportFailed(_ error: SocketError) {
    end(error)
  }
}
