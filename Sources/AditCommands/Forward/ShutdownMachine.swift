/// How the program ends: first no new flows, then none at all, then not at all politely.
struct ShutdownMachine: Hashable, Sendable {
  private enum State: Hashable, Sendable {
    /// Tunnels carry.
    case running
    /// Listeners are closed; flows go on until they end or time is over.
    case draining
    /// Flows are being reset.
    case resetting
    /// The loop has been told to stop.
    case ended
  }

  /// What happened.
  enum Event: Hashable, Sendable {
    /// A signal asked for the end.
    case endRequested
    /// No flow is left.
    case idle
    /// The time for what is going on is over.
    case timeOver
  }

  /// What to do now.
  enum Action: Hashable, Sendable {
    case none
    /// Close the listeners, tell when no flow is left, and when the drain time is over.
    case drain
    /// Reset all flows, tell when none is left, and when even that took too long.
    case reset(Reason)
    /// Stop.
    case stop
  }

  /// Why flows are reset.
  enum Reason: Hashable, Sendable {
    case asked
    case timeOver
  }

  private var state = State.running

  /// True until the end was asked for.
  var isRunning: Bool { state == .running }

  mutating func handle(_ event: Event) -> Action {
    switch (state, event) {
    case (.running, .endRequested):
      state = .draining
      return .drain
    case (.running, .idle), (.running, .timeOver): return .none
    case (.draining, .endRequested):
      state = .resetting
      return .reset(.asked)
    case (.draining, .timeOver):
      state = .resetting
      return .reset(.timeOver)
    case (.draining, .idle), (.resetting, .idle), (.resetting, .timeOver),
      (.resetting, .endRequested):
      state = .ended
      return .stop
    case (.ended, .endRequested), (.ended, .idle), (.ended, .timeOver): return .none
    }
  }
}
