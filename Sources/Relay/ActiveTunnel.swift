internal import Kernel

/// A tunnel as its flows see it: a reload gives new flows another one, and old flows keep theirs.
final class ActiveTunnel: Sendable {
  let name: String
  let targets: [RelayTarget]
  let settings: StreamSettings
  /// The flows that the tunnel may have, shared by its listeners and loops.
  let budget: FlowBudget
  /// What its flows carry.
  let traffic: FlowTraffic
  /// The own address that its flows leave from; nil for the kernel's choice.
  let source: SocketAddress?

  init(_ tunnel: StreamTunnel, budget: FlowBudget) {
    self.budget = budget
    name = tunnel.name
    targets = tunnel.targets
    settings = tunnel.settings
    traffic = tunnel.settings.ftp == nil ? .tcp : .ftp
    source = nil
  }

  /// The tunnel of one data connection of an FTP session.
  init(dataOf tunnel: ActiveTunnel, to target: SocketAddress, from source: SocketAddress) {
    budget = tunnel.budget
    name = tunnel.name
    targets = [.address(target)]
    settings = tunnel.settings
    traffic = .ftpData
    self.source = source
  }
}
