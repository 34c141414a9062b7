internal import Kernel

/// The two ends of a flow.
public enum Side: UInt8, Sendable, Hashable {
  /// Who connected to us.
  case client
  /// Whom we connected to.
  case target

  /// The other end.
  public var other: Side {
    switch self {
    case .client: .target
    case .target: .client
    }
  }
}

/// Decides what a relayed connection does next; `StreamFlow` does it and tells what came of it.
///
/// Bytes flow in two independent directions. An end of stream is passed on in its direction and
/// leaves the other alone. A side that is *lost* (reset) is passed on as a reset, but only after
/// everything that was received from it has been delivered: written, and acknowledged by the kernel
/// of the other side. When both directions have ended, the flow lingers until what was sent has
/// been acknowledged where that is in doubt, and closes.
struct StreamRelayMachine: Equatable {
  enum Phase: Equatable {
    /// Bytes flow.
    case relaying
    /// One side is lost and all it sent is written: waiting until `to` has acknowledged it.
    case delivering(to: Side)
    /// Both directions have ended: waiting until what was sent is acknowledged.
    case settling
    /// Over.
    case closed
  }

  enum Step: Equatable {
    /// Read from the side, once.
    case read(Side)
    /// Read from the side and throw the bytes away.
    case discard(Side)
    /// Write what is held to the side, once.
    case write(Side)
    /// Shut down writing to the side.
    case shutDown(Side)
    /// Ask how many bytes the side has not acknowledged.
    case askUnacknowledged(Side)
    /// Nothing can be done before readiness or a timer comes.
    case wait
    /// Close both sides; `reset` says which see a reset.
    case close(Ending)
  }

  /// How a flow ends.
  struct Ending: Equatable {
    var resetClient = false
    var resetTarget = false
  }

  /// Bytes sent to a side from which on it is asked, before a close, whether they have arrived.
  ///
  /// Less than this fits the receive window of a peer that reads; the kernel delivers it after a
  /// close.
  static let settlingThreshold: UInt64 = 65_536

  private(set) var phase = Phase.relaying
  /// From the client to the target.
  private(set) var upward = DirectionMachine()
  /// From the target to the client.
  private(set) var downward = DirectionMachine()
  private var clientIsLost = false
  private var targetIsLost = false
  private var clientHasError = false
  private var targetHasError = false
  private var lastRead = Side.target
  /// The side whose loss came first.
  private(set) var lostFirst: Side?
  private var mayAskUnacknowledged = false
  private var settled: Side?
  /// Bytes written to each side.
  private(set) var sentToTarget: UInt64 = 0
  private(set) var sentToClient: UInt64 = 0
  /// Bytes that were received and could not be delivered.
  private(set) var lost: UInt64 = 0
  /// False: an end of stream on one side ends the flow.
  let passesHalfClose: Bool

  init(passesHalfClose: Bool = true) {
    self.passesHalfClose = passesHalfClose
  }

  /// How long the flow may go on without a byte moving.
  enum Patience: Equatable {
    /// As long as an open connection may be idle.
    case open
    /// As long as a connection of which one direction is over may be idle.
    case halfClosed
    /// As long as the delivery of what a side that is gone had sent may stand still.
    case delivering
    /// Only as long as the end of a connection that is cut off may take, whatever moves.
    case closing
  }

  /// The side that was reset, first if both were; nil while neither is known to be.
  var resetSide: Side? {
    lostFirst ?? (clientHasError ? .client : targetHasError ? .target : nil)
  }

  /// True when bytes that a side sent were cut off, where half-close is switched off.
  var isTruncated: Bool { upward.state == .truncated || downward.state == .truncated }

  /// Which limit of time applies now.
  var patience: Patience {
    switch phase {
    case .delivering: return .delivering
    case .settling: return .halfClosed
    case .relaying, .closed: break
    }
    if upward.state == .discarding || downward.state == .discarding { return .closing }
    if resetSide != nil { return .delivering }
    return upward.state == .ended || downward.state == .ended ? .halfClosed : .open
  }

  // MARK: What to do

  /// The next step, `wait` when there is none now. Asking again without an input in between gives
  /// the same answer, but for `close`, which is told once.
  mutating func nextStep() -> Step {
    switch phase {
    case .relaying: return relayingStep()
    case .delivering(let side): return deliveringStep(to: side)
    case .settling: return settlingStep()
    case .closed: return .wait
    }
  }

  private mutating func relayingStep() -> Step {
    // The direction that was not read last goes first, so that neither starves the other.
    if isTruncated { return close(resetClient: true, resetTarget: true) }
    if let step = step(from: lastRead.other) ?? step(from: lastRead) { return step }
    if clientIsLost || targetIsLost { return stepAfterLoss() }
    if upward.state == .ended, downward.state == .ended { return beginSettling() }
    return .wait
  }

  private mutating func step(from source: Side) -> Step? {
    let own = direction(from: source)
    guard let step = own.step else { return nil }
    if step == .shutDown, own.state == .ending, closeEndsStream(after: source.other) {
      return close(resetClient: false, resetTarget: false)
    }
    return step.between(source, source.other)
  }

  /// Where the only thing left is an end of stream and nothing is in doubt, closing passes it on.
  private func closeEndsStream(after other: Side) -> Bool {
    direction(from: other).state == .ended && !clientIsLost && !targetIsLost
      && max(sentToClient, sentToTarget) < StreamRelayMachine.settlingThreshold
  }

  private mutating func stepAfterLoss() -> Step {
    if clientIsLost && targetIsLost { return close(resetClient: true, resetTarget: true) }
    let survivor: Side = clientIsLost ? .target : .client
    let towards = clientIsLost ? upward : downward
    guard towards.isDelivered else { return .wait }
    phase = .delivering(to: survivor)
    mayAskUnacknowledged = true
    return deliveringStep(to: survivor)
  }

  private mutating func deliveringStep(to side: Side) -> Step {
    if isLost(side) { return close(resetClient: true, resetTarget: true) }
    return mayAskUnacknowledged ? .askUnacknowledged(side) : .wait
  }

  private mutating func beginSettling() -> Step {
    phase = .settling
    settled = nil
    mayAskUnacknowledged = true
    return settlingStep()
  }

  private mutating func settlingStep() -> Step {
    if clientIsLost || targetIsLost { return stepAfterLoss() }
    guard mayAskUnacknowledged else { return .wait }
    if settled == nil {
      if sentToClient >= StreamRelayMachine.settlingThreshold { return .askUnacknowledged(.client) }
      settled = .client
    }
    if settled == .client, sentToTarget >= StreamRelayMachine.settlingThreshold {
      return .askUnacknowledged(.target)
    }
    return close(resetClient: false, resetTarget: false)
  }

  private mutating func close(resetClient: Bool, resetTarget: Bool) -> Step {
    phase = .closed
    return .close(Ending(resetClient: resetClient, resetTarget: resetTarget))
  }

  // MARK: What came

  /// Readiness came for a side. An error is a loss only where reading can no longer tell it.
  mutating func ready(_ side: Side, _ readiness: Readiness) {
    if !readiness.isDisjoint(with: [.readable, .peerEnded, .error, .hungUp]) {
      change(from: side) { $0.sourceBecameReadable() }
    }
    if !readiness.isDisjoint(with: [.writable, .error, .hungUp]) {
      change(from: side.other) { $0.sinkBecameWritable() }
    }
    guard readiness.contains(.error) else { return }
    switch side {
    case .client: clientHasError = true
    case .target: targetHasError = true
    }
    if direction(from: side).state != .flowing { lose(side) }
  }

  mutating func didRead(from side: Side, _ transfer: Transfer) {
    lastRead = side
    switch transfer {
    case .moved(let count):
      change(from: side) { $0.didRead(count) }
      if isTruncated { lost += UInt64(count) }
    case .wouldBlock: change(from: side) { $0.readWouldBlock() }
    case .ended: change(from: side) { $0.readEnded() }
    }
    // An end that came before a reset hides it (SOCK_DONE), and a write takes the socket's error:
    // what reading then tells as an end is none.
    if transfer == .ended, isLost(side) || hasError(side) { readFailed(from: side) }
  }

  mutating func readFailed(from side: Side) {
    lose(side)
    change(from: side) { $0.sourceFailed() }
  }

  mutating func didWrite(to side: Side, _ transfer: Transfer) {
    switch transfer {
    case .moved(let count):
      change(from: side.other) { $0.didWrite(count) }
      switch side {
      case .client: sentToClient += UInt64(count)
      case .target: sentToTarget += UInt64(count)
      }
    case .wouldBlock, .ended: change(from: side.other) { $0.writeWouldBlock() }
    }
  }

  /// A write told that the side is gone. What it sent before is still read and delivered.
  mutating func writeFailed(to side: Side) {
    lose(side)
    change(from: side) { $0.sourceBecameReadable() }
  }

  mutating func didShutDown(_ side: Side) {
    change(from: side.other) { $0.didShutDown() }
    if !passesHalfClose { change(from: side) { $0.cut() } }
  }

  /// How much `side` has yet to acknowledge; the runner asks again when its timer says so.
  mutating func unacknowledged(by side: Side, _ count: Int) -> Step {
    switch phase {
    case .delivering:
      if count == 0 { return closeAfterLoss() }
    case .settling:
      if count == 0 {
        settled = side
        return settlingStep()
      }
    case .relaying, .closed: break
    }
    mayAskUnacknowledged = false
    return .wait
  }

  /// The runner's timer says that acknowledgement may be asked for again.
  mutating func mayAskAgain() { mayAskUnacknowledged = true }

  /// The time for delivering or settling is over: close with what is left undelivered.
  mutating func deliveryTimedOut() -> Step {
    switch phase {
    case .delivering: closeAfterLoss()
    case .settling: close(resetClient: false, resetTarget: false)
    case .relaying: abort()
    case .closed: .wait
    }
  }

  private mutating func closeAfterLoss() -> Step {
    close(resetClient: !clientIsLost, resetTarget: !targetIsLost)
  }

  /// The flow is ended from outside, by a limit or an operator: both sides see a reset.
  mutating func abort() -> Step {
    guard phase != .closed else { return .wait }
    lost += UInt64(upward.held + downward.held)
    return close(resetClient: true, resetTarget: true)
  }

  // MARK: Sides

  private mutating func lose(_ side: Side) {
    if lostFirst == nil { lostFirst = side }
    switch side {
    case .client: clientIsLost = true
    case .target: targetIsLost = true
    }
    let discarded = side == .client ? downward.sinkFailed() : upward.sinkFailed()
    lost += UInt64(discarded)
    // While it flows, reading goes on to the last byte and then says so itself.
    if direction(from: side).state != .flowing { change(from: side) { $0.sourceFailed() } }
  }

  private func hasError(_ side: Side) -> Bool {
    switch side {
    case .client: clientHasError
    case .target: targetHasError
    }
  }

  private func isLost(_ side: Side) -> Bool {
    switch side {
    case .client: clientIsLost
    case .target: targetIsLost
    }
  }

  /// A read found no buffer; the next waits until it can be written at once.
  mutating func foundNoBuffer(from side: Side) {
    change(from: side) { $0.foundNoBuffer() }
  }

  func direction(from side: Side) -> DirectionMachine {
    switch side {
    case .client: upward
    case .target: downward
    }
  }

  private mutating func change(from side: Side, _ body: (inout DirectionMachine) -> Void) {
    switch side {
    case .client: body(&upward)
    case .target: body(&downward)
    }
  }
}

extension DirectionMachine.Step {
  /// The step of a direction from `source` to `sink` as a step of the flow.
  fileprivate func between(_ source: Side, _ sink: Side) -> StreamRelayMachine.Step {
    switch self {
    case .read: .read(source)
    case .write: .write(sink)
    case .shutDown: .shutDown(sink)
    case .discard: .discard(source)
    }
  }
}
