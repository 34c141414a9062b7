import Glibc
import Kernel
import Names
import Reactor
import TestSupport
import Testing

@testable import Relay

/// Listeners that were inherited, shut down by others, paused, changed and closed.
@Suite(.timeLimit(.minutes(2))) struct ListenerRegressionTests {
  private func inheritable() throws -> Int32 {
    let socket = try Descriptor.streamSocket(for: .ip(.loopback4, port: 0))
    try socket.bind(to: .ip(.loopback4, port: 0))
    try socket.listen(backlog: 10)
    return socket.release()
  }

  private func listener(
    _ bench: RelayBench, for tunnel: ActiveTunnel? = nil
  ) throws -> StreamListener {
    StreamListener(
      try Descriptor.quiet(), at: .ip(.loopback4, port: 3), isShared: false,
      tunnel: tunnel ?? bench.tunnel, home: bench.home)
  }

  // MARK: Inherited

  @Test("TCP's urgent byte stays in the stream of an inherited listener's client")
  func keepsUrgentBytes() throws {
    let relay = try ManualRelay(inherited: try inheritable())
    let client = try BlockingSocket.connected(to: relay.address)
    try client.send([1])
    try client.sendUrgent(2)
    try client.send([3])
    try client.endStream()
    let server = try relay.acceptedByServer()
    let flow = try #require(relay.home.flows.first)
    try relay.turn { flow.machine.upward.state == .ended }
    #expect(server.receiveAll() == ([1, 2, 3], .endOfStream))
  }

  @Test("What is sent to an inherited listener's client is sent at once")
  func sendsAtOnce() throws {
    let relay = try ManualRelay(inherited: try inheritable())
    let (client, server) = try relay.pair()
    let flow = try #require(relay.home.flows.first)
    let noDelay = try flow.withSocket(of: .client) { socket throws(Errno) in
      try socket.get(.noDelay)
    }
    #expect(noDelay == 1)
    try client.endStream()
    try server.endStream()
  }

  @Test("A listener that another process has shut down pauses and is no client's error")
  func pausesAfterAShutdown() throws {
    let number = try inheritable()
    let socket = Descriptor(adopting: number)
    let other = try socket.duplicate()
    let relay = try ManualRelay(inherited: socket.release())
    #expect(shutdown(other.number, Int32(SHUT_RD)) == 0)
    try relay.turn { relay.home.counters.acceptPauses + relay.home.counters.acceptErrors > 0 }
    #expect(relay.home.counters.acceptErrors == 0)
  }

  // MARK: Closing

  @Test("A listener whose socket fails is closed at its first error")
  func closesAFailedSocket() throws {
    let bench = try RelayBench()
    let listener = try listener(bench)
    listener.open()
    bench.streams.waiting = Array(repeating: .failure(.invalidArgument), count: 5)
    listener.close()
    #expect(bench.streams.waiting.count == 4)
  }

  @Test("Closing at the flow limit resets who still waits")
  func resetsTheRestOfTheQueue() throws {
    let relay = try ManualRelay(flows: 1)
    let (first, server) = try relay.pair()
    let second = try BlockingSocket.connected(to: relay.address)
    try second.send([1])
    try relay.turn { relay.home.counters.acceptPauses == 1 }
    relay.listener.close()
    #expect(second.receiveAll() == ([], .reset))
    try first.endStream()
    try server.endStream()
  }

  @Test("Shutting a loop down ends the questions that wait for a name server")
  func endsQuestions() throws {
    let loop = try EventLoop()
    let silent = try BlockingSocket.listening()
    var settings = ResolverSettings()
    settings.servers = [try silent.address]
    let home = try RelayLoop(
      loop: loop, system: LinuxStreams(), observer: Witness(), budget: FlowBudget(capacity: 10),
      limits: RelayLimits(descriptorLimit: 100, openDescriptors: 10, loops: 1, listeners: 1),
      names: { [settings] loop throws(NamesError) in try Resolver(loop: loop, settings: settings) })
    _ = try home.names().ask("example.test") { _ in }
    #expect(loop.population.registrations > 0)
    home.shutDown()
    #expect(loop.population == (0, 0))
  }

  // MARK: Pausing

  @Test("A paused listener that is given a tunnel with room goes on")
  func goesOnWithAnotherTunnel() throws {
    let bench = try RelayBench()
    let full = ActiveTunnel(
      StreamTunnel(name: "full", targets: [.address(.ip(.loopback4, port: 9))]),
      budget: FlowBudget(capacity: 0))
    let listener = try listener(bench, for: full)
    let identity = ObjectIdentifier(bench)
    bench.home.add(listener, of: identity)
    bench.streams.waiting = [.success(try bench.streams.makeSocket().release())]
    listener.handle(.readable, tag: 0)
    #expect(bench.loop.population.registrations == 0)
    bench.home.update(identity, to: bench.tunnel)
    #expect(bench.loop.population.registrations == 1)
    bench.home.closeListener(identity)
  }

  /// Five seconds without descriptors: how often accepting was tried.
  private func triesWithoutDescriptors(_ bench: RelayBench) throws -> Int {
    let listener = try listener(bench)
    listener.open()
    var tries = 0
    for _ in 0..<100 {
      if bench.loop.population.registrations == 1 {
        bench.streams.waiting = [.failure(.tooManyOpenFiles)]
        listener.handle(.readable, tag: 0)
        tries += 1
      }
      try bench.pass(.milliseconds(50))
    }
    listener.close()
    return tries
  }

  @Test("While descriptors are missing, the tries grow apart")
  func backsOff() throws {
    let bench = try RelayBench()
    // After 50, 100, 200, 400, 800 ms, and then each second, within a step of 50 ms.
    #expect((8...10).contains(try triesWithoutDescriptors(bench)))
  }

  @Test("That accepting goes on is told when a connection was accepted, and not before")
  func tellsNoFalseResumption() throws {
    let bench = try RelayBench()
    _ = try triesWithoutDescriptors(bench)
    #expect(bench.witness.resumptions == 0)
  }
}
