internal import Foundation
internal import Kernel
internal import Reactor
internal import Sockets

/// What the two streams of a pair have in common: their rules, their bytes, and the connection.
///
/// 1. A call of a stream goes to the rules under the monitor's lock, and bytes move there too, from
///    or into the caller's memory.
/// 2. What follows from it, its effects, happens after the lock is released.
/// 3. The connection's side is the driver's: it reads ahead into `incoming`, and takes `outgoing`,
///    on its loop.
///
/// Guard of the `@unchecked`: the monitor's lock; the ports have their own.
final class StreamLink: @unchecked Sendable {
  let target: ConnectionTarget
  let shared: Monitor<LinkState>
  let inputPort = EventPort()
  let outputPort = EventPort()

  init(_ target: ConnectionTarget, _ rules: PairRules) {
    self.target = target
    shared = Monitor(LinkState(rules: rules, settings: StreamSettings(for: target)))
  }

  func port(_ side: StreamSide) -> EventPort {
    switch side {
    case .input: inputPort
    case .output: outputPort
    }
  }

  // MARK: Calls

  func open(_ side: StreamSide) {
    perform(shared.withLock { $0.rules.open(side) })
  }

  func close(_ side: StreamSide) {
    let (effects, nativeHandle) = shared.withLock { state -> (PairEffects, Int32?) in
      let effects = state.rules.close(side)
      if side == .input { _ = state.incoming.takeAll() }
      let isUnused = state.rules.isOver && state.rules.carrier == .idle
      return (effects, isUnused ? state.settings.takeNativeHandleToClose(target) : nil)
    }
    perform(effects)
    if let nativeHandle { _ = Descriptor(adopting: nativeHandle) }
  }

  /// Reads the state under the lock.
  func look<Value>(_ body: (LinkState) -> Value) -> Value {
    shared.withLock { body($0) }
  }

  // MARK: Effects

  func perform(_ effects: PairEffects) {
    guard !effects.isEmpty else { return }
    if effects.contains(.wake) { shared.signal() }
    if effects.contains(.begin) { begin() }
    if effects.contains(.resume) { drive { $0.readAhead() } }
    if effects.contains(.send) { drive { $0.send() } }
    if effects.contains(.finish) { drive { $0.finish() } }
    if effects.contains(.signalInput) { inputPort.signal() }
    if effects.contains(.signalOutput) { outputPort.signal() }
  }

  private func begin() {
    do {
      let driver = LinkDriver(self, on: try SocketLoops.shared.next())
      shared.withLock { $0.driver = driver }
      ExitWait.shared.add(self)
      drive { $0.begin() }
    } catch {
      perform(shared.withLock { $0.rules.fail(.socket(error)) })
    }
  }

  /// Runs work on the connection's loop; nothing when there is no connection.
  func drive(_ work: @escaping @Sendable (LinkDriver) -> Void) {
    guard let driver = shared.withLock({ $0.driver }) else { return }
    driver.home.loop.post { work(driver) }
  }

  // MARK: Events

  /// Gives a side's delegate what there is to tell, each kind of event once, while `mayTell` says
  /// so; what comes up meanwhile has a turn of its own.
  func deliver(
    _ side: StreamSide, while mayTell: () -> Bool, to tell: (Stream.Event) -> Void
  ) {
    shared.withLock { $0.rules.heard(side) }
    var told: Stream.Event = []
    while mayTell(),
      let event = shared.withLock({ $0.rules.takeEvent(side, besides: told) })
    {
      told.insert(event)
      tell(event)
    }
    perform(shared.withLock { $0.rules.signals([]) })
  }
}
