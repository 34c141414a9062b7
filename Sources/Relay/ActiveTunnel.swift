internal import Kernel

/// A tunnel as its flows see it: a reload gives new flows another one, and old flows keep theirs.
final class ActiveTunnel: Sendable {
  let name: String
  let targets: [RelayTarget]
  let settings: StreamSettings

  init(_ tunnel: StreamTunnel) {
    name = tunnel.name
    targets = tunnel.targets
    settings = tunnel.settings
  }
}
