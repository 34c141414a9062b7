internal import Kernel
internal import Reactor

/// TCP_USER_TIMEOUT ends a connection whose peer acknowledges nothing. The kernel counts a closed
/// window as that too, although a peer that merely does not read answers each probe. So the option
/// is taken back while the window is closed, and set again when it opens.
extension StreamFlow {
  /// Bytes were written: looks after the peers until all is acknowledged.
  func watchUserTimeout() {
    guard userTimeoutTimer == nil else { return }
    let interval = max(tunnel.settings.userTimeout / 2, StreamFlow.shortestUserTimeoutCheck)
    userTimeoutTimer = home.loop.setTimer(
      at: home.loop.now + interval, self, tag: Tag.userTimeout)
  }

  /// The timer fired: suspends or restores the option of each side.
  func checkUserTimeout() {
    var mustGoOn = false
    for side in [Side.client, .target] where !isUnix(side) {
      let isClosed = withSocket(of: side) { socket in
        (try? home.system.peerWindowIsClosed(socket)) ?? false
      }
      if isClosed != userTimeoutIsSuspended(side) { suspendUserTimeout(side, isClosed) }
      if isClosed || unacknowledged(by: side) > 0 { mustGoOn = true }
    }
    if mustGoOn { watchUserTimeout() }
  }

  private func suspendUserTimeout(_ side: Side, _ suspended: Bool) {
    let value = suspended ? 0 : tunnel.settings.userTimeout.wholeMilliseconds
    withSocket(of: side) { socket in
      // Refused only by a socket that has failed, which the next transfer tells.
      try? home.system.set(socket, .userTimeout, value)
    }
    switch side {
    case .client: client.userTimeoutIsSuspended = suspended
    case .target: target.userTimeoutIsSuspended = suspended
    }
  }

  private func userTimeoutIsSuspended(_ side: Side) -> Bool {
    switch side {
    case .client: client.userTimeoutIsSuspended
    case .target: target.userTimeoutIsSuspended
    }
  }
}
