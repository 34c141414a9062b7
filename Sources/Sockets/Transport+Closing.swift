internal import Kernel
internal import Reactor

/// How far the end of a transport has come.
struct TransportClosing {
  /// The longest that a close waits while nothing moves: then the kernel goes on alone.
  static let patience = Duration.seconds(5)
  /// The time before the kernel is asked again whether everything has arrived.
  static let firstDelay = Duration.milliseconds(1)
  static let longestDelay = Duration.milliseconds(50)

  var patience: Duration
  var deadline: Instant
  var delay = TransportClosing.firstDelay
  var unacknowledged = Int.max
  var completion: () -> Void
}

/// The end of a connection that loses nothing.
///
/// 1. What TLS has made goes out, then the end of the stream.
/// 2. What the peer still sends is read and thrown away: closing a socket with unread bytes resets
///    the connection, and a reset destroys what is on its way to the peer.
/// 3. When the peer has ended its stream too, or its kernel has acknowledged everything, the socket
///    is closed, and then `completion` is called.
extension Transport {
  /// Closes; nobody but `completion` is called any more. It is called at once where nothing is in
  /// doubt, perhaps before this returns.
  ///
  /// `patience` is the longest that it waits while nothing moves: then the kernel goes on alone.
  package func close(patience: Duration? = nil, completion: @escaping () -> Void = {}) {
    guard isOpen else { return completion() }
    if let timer = timer.take() { home.loop.cancel(timer) }
    if let security, !security.isEstablished {
      // Nothing was written under TLS, and nobody would understand its end.
      self.security = nil
    }
    let wasShutDown = isShutDown
    if !wasShutDown, writeFailure == nil {
      isShutDown = true
      security?.engine.endOutput()
    }
    let patience = patience ?? TransportClosing.patience
    phase = .closing(
      TransportClosing(
        patience: patience, deadline: home.loop.now + patience, completion: completion))
    flush()
    if !wasShutDown, security?.output.isEmpty ?? true { shutDown() }
    goOnClosing()
  }

  func goOnClosing() {
    guard case .closing(var closing) = phase else { return }
    if security != nil { flush() }
    let peerHasEnded = discardInput()
    let left = isUnix ? 0 : withSocket { socket in (try? socket.unacknowledged()) ?? 0 }
    let isFlushed = security?.output.isEmpty ?? true
    if peerHasEnded && (isFlushed || writeFailure != nil) || left == 0 && isFlushed {
      return finishClosing(closing)
    }
    if left < closing.unacknowledged {
      closing.deadline = home.loop.now + closing.patience
      closing.unacknowledged = left
    }
    guard home.loop.now < closing.deadline else { return finishClosing(closing) }
    if timer == nil {
      timer = home.loop.setTimer(at: home.loop.now + closing.delay, self, tag: Tag.closing)
      closing.delay = min(closing.delay * 2, TransportClosing.longestDelay)
    }
    phase = .closing(closing)
  }

  func closingTimerFired() {
    mayRead = true
    goOnClosing()
  }

  /// Reads what is there; true when the peer has ended or is gone.
  private func discardInput() -> Bool {
    guard mayRead else { return false }
    return home.withScratch { bytes in
      while true {
        do {
          switch try receive(into: &bytes) {
          case .moved: if !mayRead { return false }
          case .wouldBlock: return false
          case .ended: return true
          }
        } catch {
          return true
        }
      }
    }
  }

  private func finishClosing(_ closing: TransportClosing) {
    // The descriptor is closed before anybody hears of it: the port is free by then.
    _ = takeSocket()
    closing.completion()
  }
}
