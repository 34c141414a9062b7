import Kernel
import Reactor
import TestSupport
import Testing

@testable import Relay

/// Many random conversations through one relay over a simulated kernel: nothing may be lost,
/// reordered, invented, leaked or left hanging. A failure names its seed.
@Suite struct SimulationTests {
  @Test("No traffic loses a byte, whatever the kernel answers", arguments: 0..<300)
  func losesNothing(seed: Int) throws {
    var world = try World(seed: UInt64(seed))
    try world.run()
    world.check()
  }
}

/// Two peers that send, read, end and reset as a seed tells.
private struct World {
  private let seed: UInt64
  private var generator: Seeded
  private let bench: RelayBench
  private let flow: StreamFlow
  private var ends: [Side: PeerState]

  private static let pattern = (0..<600_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }

  private struct PeerState {
    let socket: SimulatedSocket
    var sent: [UInt8] = []
    var received: [UInt8] = []
    var toSend: Int
    var mayReset: Bool
  }

  init(seed: UInt64) throws {
    self.seed = seed
    generator = Seeded(seed)
    bench = try RelayBench(
      seed: seed &* 31, buffers: Int.random(in: 0...3, using: &generator),
      pipes: Int.random(in: 0...2, using: &generator))
    bench.streams.capacity = [1, 100, 5_000, 70_000, 400_000].randomElement(using: &generator) ?? 1
    bench.streams.spuriousBlocks = [0, 0, 10, 40].randomElement(using: &generator) ?? 0
    bench.streams.pipeRefusals = [0, 50].randomElement(using: &generator) ?? 0
    bench.streams.supportsSplice = generator.chance(90)
    let (flow, client, target) = try bench.connectedFlow()
    self.flow = flow
    let sizes = bench.streams.capacity < 10 ? [0, 1, 50] : [0, 1, 1000, 200_000, 600_000]
    ends = [:]
    for (side, socket) in [(Side.client, client), (.target, target)] {
      ends[side] = PeerState(
        socket: socket, toSend: sizes.randomElement(using: &generator) ?? 0,
        mayReset: generator.chance(20))
    }
  }

  mutating func run() throws {
    var idleRounds = 0
    while idleRounds < 50, !bench.home.flows.isEmpty {
      let before = progress
      for side in [Side.client, .target] where generator.chance(70) { act(side) }
      try bench.settle(flow, socket(.client), socket(.target))
      if generator.chance(30) { try bench.pass(.milliseconds(120)) }
      idleRounds = progress == before ? idleRounds + 1 : 0
    }
    // The peers read what is left; the last acknowledgements and timers come.
    for _ in 0..<20 where !bench.home.flows.isEmpty {
      for side in [Side.client, .target] { read(side, .max) }
      try bench.settle(flow, socket(.client), socket(.target))
      try bench.pass(.milliseconds(200))
    }
    for side in [Side.client, .target] { read(side, .max) }
  }

  private var progress: Int {
    ends.values.reduce(0) { $0 + $1.sent.count + $1.received.count }
  }

  private func socket(_ side: Side) -> SimulatedSocket {
    guard let end = ends[side] else { fatalError("no such side") }
    return end.socket
  }

  private mutating func act(_ side: Side) {
    read(side, Int.random(in: 0...200_000, using: &generator))
    guard var end = ends[side], end.socket.fate == nil else { return }
    if end.toSend > 0 {
      // A receive queue is bounded: the peer sends only while the relay keeps up.
      guard end.socket.incoming.count < 300_000 else { return }
      let count = min(end.toSend, Int.random(in: 1...100_000, using: &generator))
      let start = end.sent.count
      let bytes = Array(World.pattern[start..<start + count])
      end.socket.peerSends(bytes)
      end.sent += bytes
      end.toSend -= count
    } else if end.mayReset, generator.chance(50) {
      end.socket.peerResets()
    } else {
      end.socket.peerEnds()
    }
    ends[side] = end
  }

  private mutating func read(_ side: Side, _ count: Int) {
    guard var end = ends[side], !end.socket.peerReset else { return }
    end.received += end.socket.peerReads(count)
    ends[side] = end
  }

  private var isComplete: Bool { bench.witness.records.map(\.end) == [.completed] }

  func check() {
    let note = Comment(rawValue: "seed \(seed)")
    #expect(bench.home.flows.isEmpty, note)
    #expect(bench.home.chunks.lent == 1, note)
    #expect(bench.budget.count == 0, note)
    #expect(bench.loop.population.registrations == 0, note)
    for side in [Side.client, .target] {
      guard let source = ends[side], let sink = ends[side.other] else { continue }
      #expect(source.sent.starts(with: sink.received), note)
      guard !sink.socket.peerReset else { continue }
      #expect(sink.received == source.sent, note)
      // A reset that comes after both streams' ends may find the flow complete and closed.
      let mustSeeReset = source.socket.peerReset && !isComplete
      #expect(sink.socket.peerSees == (mustSeeReset ? .reset : .endOfStream), note)
    }
  }
}
