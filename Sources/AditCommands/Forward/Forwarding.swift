internal import Configuration
internal import Kernel
internal import Reactor
internal import Relay

/// Tunnels that run: opens them, carries out reloads and ends them. Lives on the first loop.
///
/// Guard of the `@unchecked`: everything happens on the thread of `loop`, or before it runs.
final class Forwarding: TimerHandler, @unchecked Sendable {
  // Constant.
  let loop: EventLoop
  let relay: PortRelay
  let log: Log
  let service: ServiceState
  let inherited: InheritedSockets
  let arguments: ForwardArguments

  // On the loop.
  var tunnels: [TunnelConfiguration] = []
  var listeners: [ListenerKey: TunnelListener] = [:]
  var process: ProcessConfiguration
  var isReloading = false
  var mustReloadAgain = false
  var reloadThread: KernelThread?
  private var shutdown = ShutdownMachine()
  private var deadline: TimerToken?
  private var live: LiveLine?

  /// Time for flows to close their sockets once they were reset; it takes no waiting.
  static let resetPatience = Duration.seconds(1)

  init(
    loop: EventLoop, relay: PortRelay, log: Log, service: ServiceState,
    inherited: InheritedSockets, arguments: ForwardArguments, process: ProcessConfiguration
  ) {
    self.loop = loop
    self.relay = relay
    self.log = log
    self.service = service
    self.inherited = inherited
    self.arguments = arguments
    self.process = process
  }

  /// Whether the end has not been asked for.
  var isRunning: Bool { shutdown.isRunning }

  // MARK: Start

  /// Opens all listeners, or none.
  func start(_ tunnels: [TunnelConfiguration]) throws(StartError) {
    let plan = ReloadPlan(from: [], to: tunnels)
    try open(plan)
    self.tunnels = tunnels
    announce(plan.opened)
    notify { () throws(Errno) in try service.ready(status: status) }
    if log.hasTerminal {
      live = LiveLine(self)
      live?.start()
    }
  }

  /// Opens what a plan adds; when one cannot be opened, those before it are closed again.
  func open(_ plan: ReloadPlan) throws(StartError) {
    var opened: [ListenerKey: TunnelListener] = [:]
    do throws(StartError) {
      for assignment in plan.opened {
        if let overlap = ReloadPlan.overlap(of: assignment.key.listen, with: tunnels) {
          throw overlap
        }
        opened[assignment.key] = try TunnelListener.open(
          assignment.key.listen, for: assignment.tunnel, in: relay, inherited: inherited)
      }
    } catch {
      for listener in opened.values { listener.close(in: relay) }
      throw error
    }
    listeners.merge(opened) { _, new in new }
  }

  /// One line an address.
  func announce(_ assignments: [ReloadPlan.Assignment]) {
    for assignment in assignments {
      for address in listeners[assignment.key]?.addresses ?? [] {
        log.tell(
          .listening(
            at: address, of: assignment.key.listen, for: assignment.tunnel,
            onTerminal: log.hasTerminal))
      }
    }
  }

  /// What the service manager shows.
  var status: String {
    let count = listeners.values.reduce(0) { $0 + $1.addresses.count }
    return "\(tunnels.count) tunnels, \(count) listeners"
  }

  /// Tells the service manager; that it cannot be told is no reason to end.
  func notify(_ tell: () throws(Errno) -> Void) {
    do {
      try tell()
    } catch {
      log.tell(
        .warning(
          "notify-failed", "the service manager at NOTIFY_SOCKET cannot be told: \(error)",
          ["error": .string(error.name)]))
    }
  }

  // MARK: End

  /// A signal asked for the end.
  func endRequested() { perform(shutdown.handle(.endRequested)) }

  func timerFired(tag: UInt32) {
    deadline = nil
    perform(shutdown.handle(.timeOver))
  }

  private func becameIdle() { perform(shutdown.handle(.idle)) }

  private func perform(_ action: ShutdownMachine.Action) {
    switch action {
    case .none: break
    case .drain: drain()
    case .reset(let reason): reset(reason)
    case .stop: stop()
    }
  }

  /// Lets go of all that the loops hold, which holds them, and ends the first one.
  private func stop() {
    live?.stop()
    if let deadline = deadline.take() { loop.cancel(deadline) }
    relay.shutDown()
    loop.stop()
  }

  private func drain() {
    let flows = relay.flowCount
    let status = "draining \(flows) flows"
    if flows > 0 {
      log.tell(.info("draining", "\(status); again to end now", ["flows": .integer(flows)]))
    }
    notify { () throws(Errno) in try service.stopping(status: status) }
    for listener in listeners.values { listener.close(in: relay) }
    listeners = [:]
    setDeadline(process.drainTimeout)
    // The relay keeps this for good: it does not keep us.
    relay.notifyWhenIdle { [weak self, loop] in
      loop.post { [weak self] in self?.becameIdle() }
    }
  }

  private func reset(_ reason: ShutdownMachine.Reason) {
    let flows = relay.flowCount
    let why =
      switch reason {
      case .asked: "the end was asked for again"
      case .timeOver: "they did not end within \(DurationText.text(process.drainTimeout))"
      }
    log.tell(
      .warning("resetting", "resetting \(flows) flows: \(why)", ["flows": .integer(flows)]))
    setDeadline(Forwarding.resetPatience)
    relay.abortFlows()
  }

  private func setDeadline(_ time: Duration) {
    if let deadline = deadline.take() { loop.cancel(deadline) }
    deadline = loop.setTimer(at: loop.now + time, self)
  }
}
