internal import Kernel
internal import Reactor

extension StreamFlow {
  /// Closes both sides and tells who asked to know. `end` is nil where the machine says it all.
  func close(_ ending: StreamRelayMachine.Ending, because end: FlowEnd?) {
    precondition(!isClosed, "a flow is closed once")
    isClosed = true
    if let timer = patienceTimer.take() { home.loop.cancel(timer) }
    if let timer = askTimer.take() { home.loop.cancel(timer) }
    if let timer = userTimeoutTimer.take() { home.loop.cancel(timer) }
    // An attempt that has connected, although nobody has been told yet, sees a reset.
    dialer?.abandon(withReset: true)
    dialer = nil
    var record = home.wantsRecords ? record() : nil
    let resetIsLost = (ending.resetClient && client.isUnix) || (ending.resetTarget && target.isUnix)
    discardHeld(from: .client)
    discardHeld(from: .target)
    close(.client, withReset: ending.resetClient)
    close(.target, withReset: ending.resetTarget)
    let reason = end ?? reason(ending)
    home.flowEnded(self, reason, wasReset: ending.resetClient || ending.resetTarget)
    record?.end = reason
    record?.resetNotExpressible = resetIsLost
    if let record { home.observer.ended(record) }
    // Last: when the last place is given back, the relay is idle and everything has been told.
    home.givePlacesBack(flow: self)
  }

  private func reason(_ ending: StreamRelayMachine.Ending) -> FlowEnd {
    if machine.isTruncated { return .cutOff }
    if machine.resetSide == .client { return .clientReset }
    if machine.resetSide == .target { return .targetReset }
    return ending.resetClient || ending.resetTarget ? .stopped : .completed
  }

  private func close(_ side: Side, withReset reset: Bool) {
    let taken: Descriptor?
    let registration: Registration
    switch side {
    case .client:
      registration = client.registration
      taken = client.take()
    case .target:
      registration = target.registration
      taken = target.take()
    }
    guard let socket = taken else { return }
    home.loop.forget(registration)
    if reset { home.system.reset(socket) } else { home.system.close(socket) }
  }

  /// What is known of the flow now.
  func record() -> FlowRecord {
    let duration = home.loop.now - started
    let now = WallTime.now()
    let isConnected = target.isOpen
    return FlowRecord(
      tunnel: tunnel.name, number: number, client: client.peer, listener: localAddress(of: .client),
      local: isConnected ? localAddress(of: .target) : nil,
      target: isConnected ? target.peer : nil,
      started: WallTime(nanoseconds: now.nanoseconds &- duration.wholeNanoseconds),
      duration: duration, bytesUp: machine.sentToTarget, bytesDown: machine.sentToClient,
      bytesLost: machine.lost, resetNotExpressible: false, end: nil,
      traffic: tunnel.traffic)
  }

  private func localAddress(of side: Side) -> SocketAddress? {
    if side == .client, let listener { return listener }
    guard side == .client ? client.isOpen : target.isOpen else { return nil }
    return withSocket(of: side) { socket in try? home.system.localAddress(socket) }
  }

  /// Tells the debug log what a readiness means, once.
  func tell(_ readiness: Readiness, of side: Side) {
    if readiness.contains(.error) {
      home.observer.happened(.reset(tunnel: tunnel.name, number: number, side: side))
    } else if readiness.contains(.peerEnded) {
      home.observer.happened(.halfClosed(tunnel: tunnel.name, number: number, side: side))
    }
  }
}
