internal import Foundation

/// A direction of a pair of streams.
enum StreamSide: Hashable {
  case input
  case output
}

/// What follows from something that happened to a pair.
struct PairEffects: OptionSet {
  let rawValue: Int

  /// The connection is to be made.
  static let begin = PairEffects(rawValue: 1)
  /// Reading ahead goes on.
  static let resume = PairEffects(rawValue: 2)
  /// Bytes wait to be sent.
  static let send = PairEffects(rawValue: 4)
  /// A stream was closed.
  static let finish = PairEffects(rawValue: 8)
  /// Threads that wait may find what they wait for.
  static let wake = PairEffects(rawValue: 16)
  /// The input stream's delegate is to be told something.
  static let signalInput = PairEffects(rawValue: 32)
  /// The output stream's delegate is to be told something.
  static let signalOutput = PairEffects(rawValue: 64)
}

/// The rules of two streams that share a connection, or whose output is the other's input.
///
/// Either may be opened first, and that begins the connection; both are open when it stands. A
/// stream that nobody asked for counts as closed.
struct PairRules {
  enum Carrier: Hashable {
    /// A connection that has still to be made.
    case idle
    case connecting
    case connected
    case failed(StreamFailure)
    /// What is written is read on the other side, within the process.
    case bound
  }

  private(set) var input: InputRules
  private(set) var output: OutputRules
  private(set) var carrier: Carrier
  // A signal is on its way to the delegate.
  private var hasSignalledInput = false
  private var hasSignalledOutput = false
  /// Whoever sends knows that bytes wait.
  private var hasAskedToSend = false

  /// Rules of a connection's two streams, of which only the wanted are there.
  init(wanted: Set<StreamSide> = [.input, .output]) {
    self.init(.idle, wanted, limit: InputRules.limit)
  }

  /// Rules of two streams with a buffer of so many bytes between them.
  init(boundBy bufferSize: Int, wanted: Set<StreamSide> = [.input, .output]) {
    self.init(.bound, wanted, limit: bufferSize)
  }

  private init(_ carrier: Carrier, _ wanted: Set<StreamSide>, limit: Int) {
    self.carrier = carrier
    input = InputRules(limit: limit)
    output = OutputRules(limit: limit)
    if !wanted.contains(.input) { _ = input.close() }
    if !wanted.contains(.output) { _ = output.close() }
  }

  var isOver: Bool { input.phase == .closed && output.phase == .closed }

  /// The peer is to see the end of the stream when everything written has gone.
  var endsOutput: Bool { output.phase == .closed && output.wasOpened }

  // MARK: What the caller does

  mutating func open(_ side: StreamSide) -> PairEffects {
    let isFirst =
      switch side {
      case .input: input.open()
      case .output: output.open()
      }
    guard isFirst else { return [] }
    switch carrier {
    case .idle:
      carrier = .connecting
      return .begin
    case .connecting: return []
    case .connected, .bound:
      switch side {
      case .input: input.connected()
      case .output: output.connected()
      }
      return signals([.wake])
    case .failed(let failure): return fail(side, failure)
    }
  }

  mutating func read(_ wanted: Int) -> (InputRules.Reading, PairEffects) {
    let reading = input.read(wanted)
    guard case .take(let count) = reading else { return (reading, []) }
    var effects: PairEffects = []
    if carrier == .bound {
      output.sent(count)
      effects = .wake
    } else if input.resumes() {
      effects = .resume
    }
    return (reading, signals(effects))
  }

  mutating func write(_ offered: Int) -> (OutputRules.Writing, PairEffects) {
    let writing = output.write(offered)
    guard case .take(let count) = writing else { return (writing, []) }
    guard carrier != .bound else {
      input.arrived(count)
      return (writing, signals(.wake))
    }
    guard !hasAskedToSend else { return (writing, signals([])) }
    hasAskedToSend = true
    return (writing, signals(.send))
  }

  mutating func close(_ side: StreamSide) -> PairEffects {
    let isFirst =
      switch side {
      case .input: input.close()
      case .output: output.close()
      }
    guard isFirst else { return [] }
    guard carrier == .bound else { return [.finish, .wake] }
    switch side {
    case .input: output.failed(.closedByReader)
    case .output: input.ended(.endOfStream)
    }
    return signals(.wake)
  }

  // MARK: What the connection does

  mutating func connected() -> PairEffects {
    carrier = .connected
    input.connected()
    output.connected()
    return signals([.wake])
  }

  mutating func arrived(_ count: Int) -> PairEffects {
    input.arrived(count)
    return signals(.wake)
  }

  mutating func ended() -> PairEffects {
    input.ended(.endOfStream)
    return signals(.wake)
  }

  /// A direction has failed.
  mutating func fail(_ side: StreamSide, _ failure: StreamFailure) -> PairEffects {
    switch side {
    case .input: input.ended(.failed(failure))
    case .output: output.failed(failure)
    }
    return signals(.wake)
  }

  /// The connection has failed, or none was made.
  mutating func fail(_ failure: StreamFailure) -> PairEffects {
    carrier = .failed(failure)
    input.ended(.failed(failure))
    output.failed(failure)
    return signals(.wake)
  }

  /// How many bytes may be read ahead.
  mutating func room() -> Int { input.room() }

  /// Whoever sends takes what is queued: the next byte has to be told again.
  mutating func takesQueue() { hasAskedToSend = false }

  mutating func sent(_ count: Int) -> PairEffects {
    output.sent(count)
    return signals(.wake)
  }

  /// What was read ahead belongs to TLS.
  mutating func withdrawInput() { input.withdraw() }

  // MARK: Waiting

  mutating func waits(_ side: StreamSide, _ change: Int) {
    switch side {
    case .input: input.readers += change
    case .output: output.writers += change
    }
  }

  // MARK: Events

  /// Takes the next event of a side for its delegate.
  mutating func takeEvent(_ side: StreamSide, besides told: Stream.Event) -> Stream.Event? {
    switch side {
    case .input:
      guard let event = input.event(besides: told) else { return nil }
      input.tell(event)
      return event
    case .output:
      guard let event = output.event(besides: told) else { return nil }
      output.tell(event)
      return event
    }
  }

  /// The signal has come through: the next event needs another.
  mutating func heard(_ side: StreamSide) {
    switch side {
    case .input: hasSignalledInput = false
    case .output: hasSignalledOutput = false
    }
  }

  /// The signals that are due, with the other effects.
  mutating func signals(_ effects: PairEffects) -> PairEffects {
    var effects = effects
    if !hasSignalledInput, input.event() != nil {
      hasSignalledInput = true
      effects.insert(.signalInput)
    }
    if !hasSignalledOutput, output.event() != nil {
      hasSignalledOutput = true
      effects.insert(.signalOutput)
    }
    return effects
  }
}
