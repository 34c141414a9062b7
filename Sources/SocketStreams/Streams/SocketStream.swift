internal import Foundation
internal import Kernel
internal import Security
internal import TLS

/// What both directions of a pair do in the same way.
protocol SocketStream: Stream, EventTarget, StreamDelegate {
  var link: StreamLink { get }
  var side: StreamSide { get }
}

extension SocketStream {
  var port: EventPort { link.port(side) }

  /// The delegate hears of events on the thread of the run loop that the stream is scheduled in.
  func deliverEvents(while mayTell: () -> Bool) {
    link.deliver(side, while: mayTell) { event in
      if let client = port.client {
        client.tell(self, event)
      } else {
        (port.delegate ?? self).stream(self, handle: event)
      }
    }
  }

  /// Why the stream failed, as CoreFoundation counts.
  var numberedError: CFStreamError {
    let failure = link.look { state in
      switch side {
      case .input: state.rules.input.failure
      case .output: state.rules.output.failure
      }
    }
    guard let failure else { return CFStreamError() }
    return CFStreamError(domain: failure.streamDomain, error: failure.code)
  }

  // MARK: Properties

  /// A value for a key; nil when there is none.
  func value(for key: Stream.PropertyKey) -> Any? {
    let (settings, facts) = link.look { ($0.settings, $0.facts) }
    switch key.rawValue {
    case "kCFStreamPropertySocketNativeHandle":
      return facts.nativeHandle.map { PropertyValue.data($0) }
    case "kCFStreamPropertySocketRemoteHostName": return facts.remoteHost
    case "kCFStreamPropertySocketRemotePortNumber":
      return facts.remotePort.map { NSNumber(value: $0) }
    case "kCFStreamPropertySSLPeerTrust":
      return facts.peer.map { SecTrust($0.trust, anchors: settings.anchors) }
    case "kCFStreamPropertySSLPeerCertificates":
      return facts.peer.map { $0.trust.certificates.map { SecCertificate($0) } }
    case "kCFStreamSSLPeerName": return settings.security.flatMap { $0.name(for: link.target) }
    case "kCFStreamPropertySSLContext":
      return settings.security.map { SSLContext(peerName: $0.name(for: link.target) ?? "") }
    case "kCFStreamPropertyShouldCloseNativeSocket":
      return NSNumber(value: settings.closesNativeSocket ?? !settings.isNative)
    default: return settings.values[key.rawValue]?.value
    }
  }

  /// Takes over a property; false when there is no such, or the value is none for it.
  func set(_ value: Any?, for key: Stream.PropertyKey) -> Bool {
    let (isTaken, begins) = link.shared.withLock { state in
      let wasClear = state.settings.security == nil
      let isTaken = state.settings.set(value, for: key.rawValue)
      let begins =
        wasClear && state.settings.security != nil && state.rules.carrier == .connected
      if begins, state.change == nil { state.beginTLS() }
      return (isTaken, begins)
    }
    if begins { link.drive { $0.send() } }
    return isTaken
  }
}
