import Kernel
import Testing

@Suite struct PollerTests {
  @Test func anEventCarriesTheNumberThatWasGiven() throws {
    let pair = try SocketPair()
    let poller = try Poller()
    try poller.add(pair.far.number, for: [.readable, .edge], data: 0xfeed_face_cafe_beef)
    try pair.near.send([1])
    #expect(try poller.wait(milliseconds: 20_000) == 1)
    #expect(poller.event(0).data == 0xfeed_face_cafe_beef)
    #expect(poller.event(0).readiness == .readable)
  }

  @Test func anEdgeIsReportedOnceAndALevelUntilItIsGone() throws {
    let pair = try SocketPair()
    let poller = try Poller()
    try poller.add(pair.far.number, for: [.readable, .edge], data: 1)
    try pair.near.send([1])
    #expect(try poller.wait(milliseconds: 20_000) == 1)
    #expect(try poller.wait(milliseconds: 0) == 0)
    try poller.modify(pair.far.number, for: [.readable], data: 1)
    #expect(try poller.wait(milliseconds: 20_000) == 1)
    #expect(try poller.wait(milliseconds: 0) == 1)
    #expect(try pair.far.receive() == [1])
    #expect(try poller.wait(milliseconds: 0) == 0)
  }

  @Test func thePeersEndAndItsGoingAreTold() throws {
    let pair = try SocketPair()
    let poller = try Poller()
    try poller.add(pair.far.number, for: [.readable, .peerEnded], data: 1)
    try pair.near.shutdownWrite()
    #expect(try poller.wait(milliseconds: 20_000) == 1)
    #expect(poller.event(0).readiness == [.readable, .peerEnded])
    try pair.far.shutdownWrite()
    #expect(try poller.wait(milliseconds: 20_000) == 1)
    #expect(poller.event(0).readiness == [.readable, .peerEnded, .hungUp])
  }

  @Test func aRemovedDescriptorIsNotReported() throws {
    let pair = try SocketPair()
    let poller = try Poller()
    try poller.add(pair.far.number, for: [.writable], data: 1)
    try poller.remove(pair.far.number)
    #expect(try poller.wait(milliseconds: 0) == 0)
    #expect(throws: Errno.noSuchFile) { try poller.remove(pair.far.number) }
    try poller.add(pair.far.number, for: [.writable], data: 1)
    #expect(throws: Errno.fileExists) {
      try poller.add(pair.far.number, for: [.writable], data: 1)
    }
  }

  @Test func signalsToWakeUpAddUpToOne() throws {
    let wakeUp = try WakeUp()
    let poller = try Poller()
    try poller.add(wakeUp.descriptor.number, for: [.readable, .edge], data: 1)
    wakeUp.signal()
    wakeUp.signal()
    #expect(try poller.wait(milliseconds: 20_000) == 1)
    wakeUp.clear()
    #expect(try poller.wait(milliseconds: 0) == 0)
    wakeUp.signal()
    #expect(try poller.wait(milliseconds: 20_000) == 1)
    wakeUp.clear()
    wakeUp.clear()
  }
}
