internal import Configuration
internal import Kernel
internal import Reactor
internal import Relay

/// `adit forward`: tunnels in the foreground.
struct ForwardCommand {
  let arguments: ForwardArguments
  private let tunnels: [TunnelConfiguration]
  private let process: ProcessConfiguration

  /// Reads what the arguments name.
  init(_ arguments: ForwardArguments) throws(FileError) {
    self.arguments = arguments
    switch arguments.source {
    case .tunnels(let tunnels):
      self.tunnels = tunnels
      process = arguments.process(over: ProcessConfiguration())
    case .file(let path):
      let file = try ConfigurationFile.read(path)
      tunnels = file.tunnels
      process = arguments.process(over: file.process)
    }
  }

  /// Runs until a signal ends it.
  func run() throws(StartError) -> ExitCode {
    SignalSource.ignoreBrokenPipe()
    let inherited = InheritedSockets.take()
    let service = ServiceState.take()
    let receiver = SignalReceiver()
    let loops: [EventLoop]
    let log: Log
    let forwarding: Forwarding
    do {
      let limit = try ProcessLimits.raiseDescriptorLimit()
      loops = try makeLoops()
      // Blocks the signals before there are other threads, which inherit that.
      _ = try Signals(
        [SignalSource.interrupt, SignalSource.terminate, SignalSource.hangUp], on: loops[0]
      ) { receiver.forwarding?.received($0) }
      log = try Log(
        LogOptions(
          process, json: arguments.isJSON,
          outputIsTerminal: StandardStream.output.isTerminal,
          errorIsTerminal: StandardStream.error.isTerminal))
      forwarding = try makeForwarding(loops, log, service, inherited, descriptorLimit: limit)
      receiver.forwarding = forwarding
    } catch {
      throw .resources(error)
    }
    let code = run(forwarding, on: loops)
    // The loop keeps who gets the signals.
    receiver.forwarding = nil
    log.finish()
    return code
  }

  private func run(_ forwarding: Forwarding, on loops: [EventLoop]) -> ExitCode {
    do {
      try forwarding.start(tunnels)
    } catch {
      forwarding.log.tell(ErrorReport(error).message)
      closeAll(of: forwarding, on: loops)
      return .failed
    }
    do {
      let threads = try startThreads(loops.dropFirst())
      try loops[0].run()
      for loop in loops.dropFirst() { loop.stop() }
      for thread in threads { thread.join() }
      forwarding.reloadThread.take()?.join()
      return .done
    } catch {
      forwarding.log.tell(ErrorReport(StartError.resources(error)).message)
      return .failed
    }
  }

  /// Lets loops that never ran close what was opened on them.
  private func closeAll(of forwarding: Forwarding, on loops: [EventLoop]) {
    forwarding.relay.shutDown()
    for loop in loops { loop.end() }
  }

  private func makeLoops() throws(Errno) -> [EventLoop] {
    let count = process.threads > 0 ? process.threads : ProcessLimits.processorCount
    var loops: [EventLoop] = []
    for index in 0..<count { loops.append(try EventLoop(index: index)) }
    return loops
  }

  private func startThreads(_ loops: ArraySlice<EventLoop>) throws(Errno) -> [KernelThread] {
    var threads: [KernelThread] = []
    for loop in loops {
      threads.append(
        try KernelThread(name: "adit-\(loop.index)") {
          do {
            try loop.run()
          } catch {
            preconditionFailure("loop \(loop.index) cannot wait for events: \(error)")
          }
        })
    }
    return threads
  }

  private func makeForwarding(
    _ loops: [EventLoop], _ log: Log, _ service: ServiceState, _ inherited: InheritedSockets,
    descriptorLimit: Int
  ) throws(Errno) -> Forwarding {
    let listeners = tunnels.reduce(0) { $0 + $1.listen.count }
    let limits = RelayLimits(
      process, descriptorLimit: descriptorLimit, loops: loops.count, listeners: listeners)
    let relay = try PortRelay(loops: loops, limits: limits, observer: FlowLog(log))
    log.tell(
      .info(
        "limits",
        "flows at most \(limits.flows) (descriptor limit \(descriptorLimit));"
          + " threads \(loops.count)",
        [
          "flows": .integer(limits.flows), "descriptors": .integer(descriptorLimit),
          "threads": .integer(loops.count),
        ]))
    return Forwarding(
      loop: loops[0], relay: relay, log: log, service: service, inherited: inherited,
      arguments: arguments, process: process)
  }
}

/// Who gets the signals; made before there is anybody.
private final class SignalReceiver {
  var forwarding: Forwarding?
}

extension Forwarding {
  /// SIGHUP reads the configuration again, the other signals end the program.
  func received(_ signal: Int32) {
    if signal == SignalSource.hangUp { reload() } else { endRequested() }
  }
}
