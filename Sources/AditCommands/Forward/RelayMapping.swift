internal import Configuration
internal import Kernel
internal import Relay

extension StreamTunnel {
  /// The tunnel as the relay takes it, for one of its listeners.
  init(_ configuration: TunnelConfiguration, at listen: ListenSpecification) {
    var settings = StreamSettings()
    settings.connectTimeout = configuration.connectTimeout
    settings.halfClosedIdle = configuration.halfClosedIdle
    settings.idle = configuration.idle
    settings.resetDrain = configuration.resetDrain
    settings.userTimeout = configuration.userTimeout
    settings.passesHalfClose = configuration.halfClose
    settings.sendsAtOnce = configuration.noDelay
    settings.backlog = Int32(clamping: configuration.backlog)
    settings.flowLimit = configuration.limits.flows > 0 ? configuration.limits.flows : nil
    settings.keepalive = configuration.keepalive.map { keepalive in
      Keepalive(
        idleSeconds: Int32(clamping: keepalive.idle.components.seconds),
        intervalSeconds: Int32(clamping: keepalive.interval.components.seconds),
        count: Int32(clamping: keepalive.count))
    }
    if case .ftp = listen { settings.ftp = FTPSettings(configuration.ftp) }
    self.init(
      name: configuration.name, targets: configuration.targets.map { RelayTarget($0) },
      settings: settings)
  }
}

extension DatagramTunnel {
  /// The tunnel as the relay takes it.
  init(_ configuration: TunnelConfiguration) {
    var settings = DatagramSettings()
    let idle = configuration.idle
    settings.idle = idle > .zero ? idle : TunnelConfiguration.udpIdle
    let limits = configuration.limits
    settings.flowLimit = limits.flows > 0 ? limits.flows : nil
    settings.flowsPerSource = limits.flowsPerSource > 0 ? limits.flowsPerSource : nil
    settings.receiveBuffer = Int32(clamping: configuration.receiveBuffer)
    self.init(
      name: configuration.name, targets: configuration.targets.map { RelayTarget($0) },
      settings: settings)
  }
}

extension FTPSettings {
  fileprivate init(_ configuration: FTPConfiguration) {
    self.init()
    switch configuration.tls {
    case .refuse: security = .refuse
    case .pass: security = .pass
    }
    passivePorts = configuration.passivePorts
    sourcePort = configuration.sourcePort > 0 ? UInt16(configuration.sourcePort) : nil
  }
}

extension RelayTarget {
  fileprivate init(_ target: TargetSpecification) {
    self =
      switch target {
      case .host(let name, let port): .name(name.text, port: port)
      case .address(let address, let port): .address(.ip(address, port: port))
      case .unix(let name): .address(.unix(name))
      case .udp(let target): RelayTarget(target)
      }
  }
}

extension RelayLimits {
  /// The limits that the machine and the configuration set for `loops` loops.
  init(_ process: ProcessConfiguration, descriptorLimit: Int, loops: Int, listeners: Int) {
    self.init(
      descriptorLimit: descriptorLimit, openDescriptors: ProcessLimits.openDescriptorCount(),
      loops: loops, listeners: listeners)
    buffers = max(1, process.buffers / loops)
    pipes = min(pipes, process.pipes / loops)
  }
}
