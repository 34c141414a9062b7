internal import Foundation
internal import Kernel
internal import Names
internal import Reactor
internal import Sockets

/// Sending:
///
/// 1. a datagram, or a connecting, joins the queue;
/// 2. when its turn comes its host is looked up, if it has one, and the filter asked;
/// 3. it is given to the kernel; when there is no room, its time begins and room is waited for;
/// 4. the delegate is told how it ended, and the next has its turn.
extension UdpCore: TimerHandler {
  func send(_ data: Data, to destination: UdpSend.Destination, timeout: TimeInterval, tag: Int) {
    var hasDestination = true
    if case .peer = destination { hasDestination = false }
    do {
      try checkSend(data, hasDestination: hasDestination)
      try open()
    } catch {
      return tellNotSent(tag, error)
    }
    sends.append(
      UdpSend(kind: .datagram(data, tag: tag, timeout: timeout), destination: destination))
    pump()
  }

  private func checkSend(_ data: Data, hasDestination: Bool) throws {
    do {
      try lifecycle.checkSend(hasDestination: hasDestination)
    } catch {
      throw UdpFailure.refusal(error)
    }
    guard data.count <= Int(settings.maxSendBufferSize) else {
      throw UdpFailure.system(.messageTooLong, doing: "sending \(data.count) bytes")
    }
    guard sends.count < UdpSend.limit else {
      throw UdpFailure.system(.noBufferSpace, doing: "sending behind \(UdpSend.limit) others")
    }
  }

  func connect(to destination: UdpSend.Destination) throws {
    do {
      try checkDelegate()
      try lifecycle.checkConnect()
    } catch {
      throw UdpFailure.refusal(error)
    }
    try open()
    lifecycle.beganConnecting()
    sends.append(UdpSend(kind: .connecting, destination: destination))
    pump()
  }

  // MARK: The queue

  /// Gives the next in the queue its turn until one has to wait.
  func pump() {
    guard !isPumping else { return }
    isPumping = true
    defer { isPumping = false }
    while current == nil, let next = sends.popFirst() {
      current = next
      advance()
    }
    if current == nil, lifecycle.isClosing { close(nil) }
  }

  /// Does for the current one what can be done now.
  func advance() {
    guard let send = current else { return }
    switch (send.destination, send.kind) {
    case (.host(let name, let port), _): look(up: name, port: port)
    case (.address(let address), .connecting): connect(address)
    case (.peer, .connecting): endCurrent()
    case (.address(let address), .datagram(let data, let tag, let timeout)):
      give(data, tag, timeout, to: address, isFiltered: send.isFiltered)
    case (.peer, .datagram(let data, let tag, let timeout)):
      give(data, tag, timeout, to: nil, isFiltered: send.isFiltered)
    }
  }

  func endCurrent() {
    current = nil
    lookup?.cancel()
    lookup = nil
    if let sendTimer { loop.cancel(sendTimer) }
    sendTimer = nil
  }

  private func goOn() {
    advance()
    pump()
  }

  // MARK: Names

  private func look(up name: String, port: UInt16) {
    guard lookup == nil else { return }
    let families = usableFamilies
    guard !families.isEmpty else { return fail(UdpFailure.refusal(.noFamily)) }
    let asked = name == "loopback" ? "localhost" : name
    let generation = self.generation
    let lookup = AddressLookup(asked, families: families) { [weak self] result in
      guard let self, self.generation == generation else { return }
      self.lookup = nil
      switch result {
      case .success(let addresses):
        self.current?.destination = .address(.ip(addresses[0], port: port))
        self.advance()
      case .failure(let error): self.fail(UdpFailure.socket(error))
      }
      self.pump()
    }
    self.lookup = lookup
    lookup.start(on: home)
  }

  /// The families whose addresses can be sent to, the preferred one first; by default the one that
  /// a socket is of.
  private var usableFamilies: [AddressFamily] {
    let order: [AddressFamily] = settings.preference == .v6 ? [.v6, .v4] : [.v4, .v6]
    return order.filter { $0 == .v6 ? channel6 != nil : channel4 != nil }
  }

  // MARK: Connecting

  private func connect(_ address: SocketAddress) {
    let address = scoped(address)
    do {
      let channel = try channel(isIPv6: address.isIPv6)
      _ = try SocketError.on("connecting to \(address)") { () throws(Errno) in
        try channel.withSocket { (socket) throws(Errno) in try socket.connect(to: address) }
      }
    } catch {
      return fail((error as? SocketError).map { UdpFailure.socket($0) } ?? error)
    }
    keep(isIPv6: address.isIPv6)
    peer = address
    lifecycle.connectingEnded(true)
    endCurrent()
    let data = address.sockaddr
    tell { $0.delegate.udpSocket($0.socket, didConnectToAddress: data) }
    receive()
  }

  // MARK: Giving to the kernel

  private func give(
    _ data: Data, _ tag: Int, _ timeout: TimeInterval, to address: SocketAddress?,
    isFiltered: Bool
  ) {
    if let sendFilter, !isFiltered {
      return ask(sendFilter, data, (address ?? peer)?.sockaddr ?? Data(), tag)
    }
    if let refusal = refusal.take() {
      return fail(UdpFailure.system(refusal, doing: "sending"))
    }
    guard (address == nil) == (lifecycle.connection == .connected) else {
      return fail(UdpFailure.refusal(address == nil ? .notConnected : .connected))
    }
    let target = address.map { scoped($0) }
    do {
      let channel = try channel(isIPv6: target?.isIPv6 ?? (channel6 != nil))
      var source: IPAddress?
      if case .ip(let destination, _)? = target { source = admission?.source(for: destination) }
      if try channel.send(data.bytes, to: target, from: source, interface: 0) {
        return sent(tag)
      }
      wait(for: channel, timeout)
    } catch let error as Errno {
      fail(UdpFailure.system(error, doing: target.map { "sending to \($0)" } ?? "sending"))
    } catch {
      fail(error)
    }
  }

  /// The address with the scope of the interface that the socket is bound to, where it needs one.
  private func scoped(_ address: SocketAddress) -> SocketAddress {
    guard case .ip(let host, let port) = address else { return address }
    return .ip(host.scoped(admission?.interface), port: port)
  }

  private func wait(for channel: DatagramChannel, _ timeout: TimeInterval) {
    if timeout >= 0, sendTimer == nil {
      let nanoseconds = min(timeout * 1e9, 1e18)
      sendTimer = loop.setTimer(
        at: loop.now + .nanoseconds(Int64(nanoseconds)), self, tag: 0)
    }
    channel.waitForRoom()
  }

  func timerFired(tag: UInt32) {
    sendTimer = nil
    fail(GCDAsyncUdpSocketError(.sendTimeoutError, "there was no room to send in time"))
    pump()
  }

  private func sent(_ tag: Int) {
    endCurrent()
    tell { $0.delegate.udpSocket($0.socket, didSendDataWithTag: tag) }
  }

  /// The current one ends in an error, which is its alone.
  private func fail(_ error: any Error) {
    guard let send = current else { return }
    endCurrent()
    switch send.kind {
    case .datagram(_, let tag, _): tellNotSent(tag, error)
    case .connecting:
      lifecycle.connectingEnded(false)
      tell { $0.delegate.udpSocket($0.socket, didNotConnect: error) }
    }
  }

  /// A datagram that cannot be sent anywhere.
  func refuse(_ tag: Int, _ error: any Error) { tellNotSent(tag, error) }

  private func tellNotSent(_ tag: Int, _ error: any Error) {
    tell { $0.delegate.udpSocket($0.socket, didNotSendDataWithTag: tag, dueToError: error) }
  }

  // MARK: The filter

  /// A filter of the caller's, which is called on its queue only: the guard of the `@unchecked`.
  private struct Question: @unchecked Sendable {
    let filter: GCDAsyncUdpSocketSendFilterBlock
    let data: Data
    let address: Data
    let tag: Int
  }

  private func ask(
    _ sendFilter: (filter: GCDAsyncUdpSocketSendFilterBlock, queue: DispatchQueue),
    _ data: Data, _ address: Data, _ tag: Int
  ) {
    let generation = self.generation
    let question = Question(filter: sendFilter.filter, data: data, address: address, tag: tag)
    // Never waited for here: other sockets live on this loop too.
    sendFilter.queue.async {
      let isAllowed = question.filter(question.data, question.address, question.tag)
      self.loop.post { self.answered(isAllowed, generation, question.tag) }
    }
  }

  private func answered(_ isAllowed: Bool, _ generation: UInt64, _ tag: Int) {
    guard self.generation == generation, current != nil else { return }
    if isAllowed {
      current?.isFiltered = true
      advance()
    } else {
      // As the original has it: who sent it is not told of the filter.
      sent(tag)
    }
    pump()
  }
}
