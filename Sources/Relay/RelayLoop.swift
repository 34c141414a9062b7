internal import Kernel
internal import Names
internal import Reactor

/// What a relay has on one loop: pools, flows, counters. Everything happens on the loop's thread.
final class RelayLoop: TimerHandler {
  let loop: EventLoop
  let system: any StreamSystem
  let observer: any RelayObserver
  let wantsEvents: Bool
  let wantsRecords: Bool
  let budget: FlowBudget
  let limits: RelayLimits

  var chunks: ChunkPool
  var pipes: PipePool
  private var ownScratch: Chunk?
  var counters = RelayCounters()
  private(set) var flows: [StreamFlow] = []
  private(set) var controls: [ObjectIdentifier: ControlFlow] = [:]
  private var listeners: [ObjectIdentifier: [StreamListener]] = [:]
  private(set) var services: [ObjectIdentifier: DatagramService] = [:]
  private var knownExchange: DatagramExchange?
  private let makeNames: NameSourceMaker
  private var knownNames: (any NameSource)?
  private var unsettled = 0
  private var upkeepTimer: TimerToken?

  /// Time after which a connected flow gets the options that only matter to one that lasts, and
  /// idle pools give back what they hold.
  static let upkeepInterval = Duration.seconds(10)

  /// Makes a source of names for a loop, when the first name is met.
  typealias NameSourceMaker = (EventLoop) throws(NamesError) -> any NameSource

  init(
    loop: EventLoop, system: any StreamSystem, observer: any RelayObserver, budget: FlowBudget,
    limits: RelayLimits, names: @escaping NameSourceMaker
  ) throws(Errno) {
    self.loop = loop
    self.system = system
    self.observer = observer
    wantsEvents = observer.wantsEvents
    wantsRecords = observer.wantsRecords
    self.budget = budget
    self.limits = limits
    makeNames = names
    chunks = try ChunkPool(chunkSize: RelayLimits.bufferSize, count: limits.buffers + 1)
    pipes = PipePool(limit: limits.pipes, capacity: RelayLimits.pipeCapacity) {
      capacity throws(Errno) in try system.makePipe(capacity: capacity)
    }
    guard let scratch = chunks.take() else { throw .outOfMemory }
    ownScratch = consume scratch
  }

  deinit {
    if let chunk = ownScratch.take() { chunks.give(chunk) }
  }

  /// Calls `body` with a buffer that never holds bytes between two steps.
  func withScratch<Result, Failure: Error>(
    _ body: (borrowing Chunk) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    switch ownScratch {
    case .some(let chunk): return try body(chunk)
    case .none: preconditionFailure("a loop's scratch buffer lives as long as the loop")
    }
  }

  /// Ends everything on the loop: listeners, flows, timers.
  func shutDown() {
    for listener in Array(listeners.keys) + Array(services.keys) { closeListener(listener) }
    abortAll()
    if let timer = upkeepTimer.take() { loop.cancel(timer) }
    knownNames?.shutDown()
    knownNames = nil
  }

  /// The loop's source of names.
  func names() throws(NamesError) -> any NameSource {
    if let knownNames { return knownNames }
    let made = try makeNames(loop)
    knownNames = made
    return made
  }

  // MARK: Listeners

  /// Begins to accept on a socket of a listener.
  func add(_ socket: StreamListener, of listener: ObjectIdentifier) {
    listeners[listener, default: []].append(socket)
    socket.open()
  }

  /// Gives the new flows of a listener another tunnel.
  func update(_ listener: ObjectIdentifier, to tunnel: ActiveTunnel) {
    for socket in listeners[listener] ?? [] { socket.serve(tunnel) }
  }

  /// Stops accepting for a listener.
  func closeListener(_ listener: ObjectIdentifier) {
    for socket in listeners.removeValue(forKey: listener) ?? [] { socket.close() }
    services[listener]?.close()
  }

  /// The process is at a limit of the system: nothing more is accepted for a moment.
  func pauseAccepting(_ error: Errno) {
    for socket in listeners.values.joined() { socket.pauseForRetry(error) }
  }

  /// What was done, with what the flows there are have moved so far.
  func presentCounters() -> RelayCounters {
    var present = counters
    for flow in flows {
      present.bytesUp += flow.machine.sentToTarget
      present.bytesDown += flow.machine.sentToClient
    }
    for session in services.values.lazy.flatMap(\.sessions) {
      present.bytesUp += session.bytes.up
      present.bytesDown += session.bytes.down
    }
    for control in controls.values { control.add(to: &present) }
    return present
  }

  // MARK: Datagrams

  /// The loop's batches, made when the first datagram listener is; nil without memory.
  func exchange() -> DatagramExchange? {
    if let knownExchange { return knownExchange }
    knownExchange = try? DatagramExchange(loop: loop)
    return knownExchange
  }

  /// Begins to receive on the sockets of a listener.
  func add(_ service: DatagramService, of listener: ObjectIdentifier) {
    services[listener] = service
  }

  /// A closed listener has no session left.
  func removeService(_ listener: ObjectIdentifier) {
    services[listener] = nil
  }

  /// The session used longest ago, of one tunnel or of all.
  func oldestSession(of tunnel: ActiveDatagramTunnel?) -> DatagramSession? {
    services.values
      .filter { tunnel == nil || $0.tunnel.budget === tunnel?.budget }
      .compactMap(\.oldest).min { $0.lastUse < $1.lastUse }?.session
  }

  // MARK: Flows

  /// Begins what a connection is for whose places in both budgets have been taken.
  func begin(
    _ accepted: consuming Accepted, for tunnel: ActiveTunnel, at listener: SocketAddress?
  ) {
    if let ftp = tunnel.settings.ftp, tunnel.traffic == .ftp {
      beginControl(accepted, for: tunnel, ftp)
    } else {
      beginFlow(accepted, for: tunnel, at: listener)
    }
  }

  private func beginControl(
    _ accepted: consuming Accepted, for tunnel: ActiveTunnel, _ settings: FTPSettings
  ) {
    counters.accepted += 1
    let control = ControlFlow(
      number: budget.nextNumber(), tunnel: tunnel, settings: settings, home: self,
      client: accepted.peer.unmapped)
    controls[ObjectIdentifier(control)] = control
    if wantsEvents {
      observer.happened(
        .accepted(tunnel: tunnel.name, number: control.number, client: accepted.peer))
    }
    control.begin(accepted.descriptor())
  }

  /// A control connection has closed its sockets.
  func controlEnded(_ control: ControlFlow, _ record: FlowRecord, wasReset: Bool) {
    controls[ObjectIdentifier(control)] = nil
    counters.ended += 1
    control.add(to: &counters)
    if wasReset { counters.reset += 1 }
    if case .targetUnreachable? = record.end { counters.unreachable += 1 }
    if wantsRecords { observer.ended(record) }
    control.tunnel.budget.give()
    budget.give()
  }

  /// Begins a flow for a connection whose places in both budgets have been taken.
  @discardableResult
  func beginFlow(
    _ accepted: consuming Accepted, for tunnel: ActiveTunnel, at listener: SocketAddress?
  ) -> StreamFlow {
    counters.accepted += 1
    let flow = StreamFlow(
      number: budget.nextNumber(), tunnel: tunnel, home: self, client: accepted.peer.unmapped,
      listener: listener)
    flow.place = flows.count
    flows.append(flow)
    if wantsEvents {
      observer.happened(
        .accepted(tunnel: tunnel.name, number: flow.number, client: accepted.peer))
    }
    flow.begin(accepted.descriptor())
    return flow
  }

  /// A flow has reached its target and may last.
  func flowConnected(_ flow: StreamFlow) {
    unsettled += 1
    keepUp()
  }

  /// A flow has closed its sockets.
  func flowEnded(_ flow: StreamFlow, _ end: FlowEnd, wasReset: Bool) {
    flows.swapAt(flow.place, flows.count - 1)
    flows[flow.place].place = flow.place
    flows.removeLast()
    if flow.awaitsSettling { unsettled -= 1 }
    counters.ended += 1
    counters.bytesUp += flow.machine.sentToTarget
    counters.bytesDown += flow.machine.sentToClient
    counters.bytesLost += flow.machine.lost
    if wasReset { counters.reset += 1 }
    if case .targetUnreachable = end { counters.unreachable += 1 }
  }

  /// A flow has been told of: its places are free for others.
  func givePlacesBack(flow: StreamFlow) {
    flow.tunnel.budget.give()
    budget.give()
  }

  /// Resets every flow.
  func abortAll() {
    while let control = controls.values.first { control.abort(because: .stopped) }
    while let flow = flows.last { flow.abort(because: .stopped) }
    for service in services.values { service.abortAll() }
  }

  // MARK: Carriers

  /// Takes a carrier's buffer or pipe back; a pipe with bytes in it is closed.
  func takeBack(_ carrier: inout Carrier, isEmpty: Bool) {
    if let chunk = carrier.buffer.take() {
      chunks.give(chunk)
      keepUp()
    }
    if let pipe = carrier.pipe.take() {
      if isEmpty { pipes.give(pipe) } else { pipes.discard(pipe) }
      keepUp()
    }
  }

  // MARK: Upkeep

  private func keepUp() {
    guard upkeepTimer == nil else { return }
    upkeepTimer = loop.setTimer(at: loop.now + RelayLoop.upkeepInterval, self)
  }

  func timerFired(tag: UInt32) {
    upkeepTimer = nil
    if unsettled > 0 {
      for flow in flows where flow.awaitsSettling { flow.settle() }
      unsettled = 0
    }
    pipes.trim()
    chunks.trim()
    // The scratch buffer is always lent; anything more comes back and is trimmed later.
    if chunks.lent > 1 || pipes.open > 0 { keepUp() }
  }
}
