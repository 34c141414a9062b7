internal import Kernel

/// A tunnel as its flows see it: a reload gives new flows another one, and old flows keep theirs.
final class ActiveTunnel: Sendable {
  let name: String
  let targets: [RelayTarget]
  let settings: StreamSettings
  /// The flows that the tunnel may have, shared by its listeners and loops.
  let budget: FlowBudget

  init(_ tunnel: StreamTunnel, budget: FlowBudget) {
    self.budget = budget
    name = tunnel.name
    targets = tunnel.targets
    settings = tunnel.settings
  }
}
