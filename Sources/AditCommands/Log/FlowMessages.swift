internal import Configuration
internal import Kernel
internal import Relay

extension LogMessage {
  /// What happened to a flow, at level debug.
  init(_ event: FlowEvent) {
    switch event {
    case .accepted(let tunnel, let number, let client):
      self = .flow(
        "accepted", tunnel, number, "accepted from \(client)", ["client": .address(client)])
    case .connecting(let tunnel, let number, let target):
      self = .flow(
        "connecting", tunnel, number, "connecting to \(target)", ["target": .address(target)])
    case .refused(let tunnel, let number, let target, let error):
      self = .flow(
        "refused", tunnel, number, "refused by \(target): \(error)",
        ["target": .address(target), "error": .string(error.name)])
    case .connected(let tunnel, let number, let target):
      self = .flow(
        "connected", tunnel, number, "connected to \(target)", ["target": .address(target)])
    case .halfClosed(let tunnel, let number, let side):
      self = .flow(
        "half-closed", tunnel, number, "half-closed by the \(side)", ["side": .string("\(side)")])
    case .reset(let tunnel, let number, let side):
      self = .flow("reset", tunnel, number, "reset by the \(side)", ["side": .string("\(side)")])
    }
  }

  /// What an operator should know.
  init(_ warning: RelayWarning) {
    switch warning {
    case .acceptPaused(let listener, .flowLimit(let limit)):
      self = .warning(
        "accept-paused",
        "accepting at \(listener) waits: there are \(limit) flows, as many as there may be",
        ["listener": .address(listener), "flows": .integer(limit)])
    case .acceptPaused(let listener, .system(let error)):
      self = .warning(
        "accept-paused", "accepting at \(listener) waits: \(error)",
        ["listener": .address(listener), "error": .string(error.name)])
    case .acceptResumed(let listener, let pause):
      let milliseconds = pause.wholeNanoseconds / 1_000_000
      self = .info(
        "accept-resumed", "accepting at \(listener) goes on after \(milliseconds) ms",
        ["listener": .address(listener), "after-ms": JSONValue(milliseconds)])
    }
  }

  private static func flow(
    _ event: String, _ tunnel: String, _ number: UInt64, _ what: String, _ details: JSONObject
  ) -> LogMessage {
    var fields: JSONObject = ["flow": .string("\(tunnel)/\(number)")]
    fields += details
    return .debug(event, "\(tunnel)/\(number) \(what)", fields)
  }
}

extension JSONValue {
  fileprivate static func address(_ address: SocketAddress) -> JSONValue {
    .string(address.description)
  }
}

/// Gives what a relay tells to the log. Called on the loops' threads.
final class FlowLog: RelayObserver {
  let wantsEvents: Bool
  let wantsRecords: Bool
  private let log: Log

  init(_ log: Log) {
    self.log = log
    wantsEvents = log.level >= .debug
    wantsRecords = log.writesFlows
  }

  func happened(_ event: FlowEvent) {
    log.tell(LogMessage(event))
  }

  func ended(_ record: FlowRecord) {
    log.write(record)
  }

  func warned(_ warning: RelayWarning) {
    log.tell(LogMessage(warning))
  }
}
