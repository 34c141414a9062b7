import Kernel
import Testing

@testable import Relay

/// The machine as a conversation: what the runner tells, what the machine answers.
@Suite struct StreamRelayMachineTests {
  @Test("A byte from the client is written to the target, and then the machine waits")
  func carriesAByte() {
    var machine = StreamRelayMachine()
    #expect(machine.nextStep() == .wait)
    machine.ready(.client, .readable)
    #expect(machine.nextStep() == .read(.client))
    machine.didRead(from: .client, .moved(1))
    #expect(machine.nextStep() == .write(.target))
    machine.didWrite(to: .target, .moved(1))
    #expect(machine.nextStep() == .read(.client))
    machine.didRead(from: .client, .wouldBlock)
    #expect(machine.nextStep() == .wait)
    #expect(machine.sentToTarget == 1)
  }

  @Test("A sink without room stops the source until it has room again")
  func pushesBack() {
    var machine = StreamRelayMachine()
    machine.ready(.client, .readable)
    machine.didRead(from: .client, .moved(100))
    machine.didWrite(to: .target, .moved(40))
    machine.didWrite(to: .target, .wouldBlock)
    machine.ready(.client, .readable)
    #expect(machine.nextStep() == .wait)
    machine.ready(.target, .writable)
    #expect(machine.nextStep() == .write(.target))
    machine.didWrite(to: .target, .moved(60))
    #expect(machine.nextStep() == .read(.client))
  }

  @Test("An end of stream is passed on after what is held, and the other direction flows on")
  func halfCloses() {
    var machine = StreamRelayMachine()
    machine.ready(.client, [.readable, .peerEnded])
    machine.didRead(from: .client, .moved(5))
    machine.didWrite(to: .target, .moved(5))
    #expect(machine.nextStep() == .read(.client))
    machine.didRead(from: .client, .ended)
    #expect(machine.nextStep() == .shutDown(.target))
    machine.didShutDown(.target)
    #expect(machine.nextStep() == .wait)
    #expect(machine.patience == .halfClosed)
    machine.ready(.target, .readable)
    #expect(machine.nextStep() == .read(.target))
    machine.didRead(from: .target, .moved(7))
    #expect(machine.nextStep() == .write(.client))
    machine.didWrite(to: .client, .moved(7))
    machine.didRead(from: .target, .ended)
    #expect(machine.nextStep() == .close(.init()))
  }

  @Test("After much data, both streams' ends wait for acknowledgement before the close")
  func settles() {
    var machine = StreamRelayMachine()
    let much = Int(StreamRelayMachine.settlingThreshold)
    machine.ready(.target, .readable)
    machine.didRead(from: .target, .moved(much))
    machine.didWrite(to: .client, .moved(much))
    machine.didRead(from: .target, .ended)
    #expect(machine.nextStep() == .shutDown(.client))
    machine.didShutDown(.client)
    machine.ready(.client, .readable)
    machine.didRead(from: .client, .ended)
    #expect(machine.nextStep() == .shutDown(.target))
    machine.didShutDown(.target)
    #expect(machine.nextStep() == .askUnacknowledged(.client))
    #expect(machine.unacknowledged(by: .client, 10) == .wait)
    #expect(machine.nextStep() == .wait)
    #expect(machine.patience == .halfClosed)
    machine.mayAskAgain()
    #expect(machine.nextStep() == .askUnacknowledged(.client))
    #expect(machine.unacknowledged(by: .client, 0) == .close(.init()))
  }

  @Test("A loss while the last bytes settle waits until the other side has acknowledged them")
  func settlesBeforeALoss() {
    var machine = StreamRelayMachine()
    let much = Int(StreamRelayMachine.settlingThreshold)
    machine.ready(.client, .readable)
    machine.didRead(from: .client, .moved(much))
    machine.didWrite(to: .target, .moved(much))
    machine.didRead(from: .client, .ended)
    machine.didShutDown(.target)
    machine.ready(.target, .readable)
    machine.didRead(from: .target, .ended)
    #expect(machine.nextStep() == .shutDown(.client))
    machine.didShutDown(.client)
    #expect(machine.nextStep() == .askUnacknowledged(.target))
    #expect(machine.unacknowledged(by: .target, 50_000) == .wait)
    machine.ready(.client, [.error, .hungUp])
    #expect(machine.nextStep() == .askUnacknowledged(.target))
    #expect(machine.unacknowledged(by: .target, 50_000) == .wait)
    machine.mayAskAgain()
    #expect(machine.nextStep() == .askUnacknowledged(.target))
    #expect(machine.unacknowledged(by: .target, 0) == .close(.init(resetTarget: true)))
  }

  @Test("A reset is passed on after every byte before it is written and acknowledged")
  func passesAResetOn() {
    var machine = StreamRelayMachine()
    machine.ready(.target, [.readable, .error, .hungUp])
    machine.didRead(from: .target, .moved(9))
    #expect(machine.nextStep() == .write(.client))
    machine.didWrite(to: .client, .moved(4))
    machine.didWrite(to: .client, .wouldBlock)
    #expect(machine.nextStep() == .wait)
    machine.ready(.client, .writable)
    machine.didWrite(to: .client, .moved(5))
    #expect(machine.nextStep() == .read(.target))
    machine.readFailed(from: .target)
    #expect(machine.nextStep() == .askUnacknowledged(.client))
    #expect(machine.patience == .delivering)
    #expect(machine.unacknowledged(by: .client, 9) == .wait)
    machine.mayAskAgain()
    #expect(machine.nextStep() == .askUnacknowledged(.client))
    #expect(machine.unacknowledged(by: .client, 0) == .close(.init(resetClient: true)))
    #expect(machine.lostFirst == .target)
  }

  @Test("A failed write does not lose what the same side sent before")
  func readsOnAfterAFailedWrite() {
    var machine = StreamRelayMachine()
    machine.ready(.client, .readable)
    machine.didRead(from: .client, .moved(3))
    machine.writeFailed(to: .target)
    #expect(machine.lost == 3)
    #expect(machine.nextStep() == .read(.target))
    machine.didRead(from: .target, .moved(2))
    #expect(machine.nextStep() == .write(.client))
    machine.didWrite(to: .client, .moved(2))
    #expect(machine.nextStep() == .read(.target))
    // The write took the socket's error: the end that reading now tells is none.
    machine.didRead(from: .target, .ended)
    #expect(machine.nextStep() == .askUnacknowledged(.client))
    #expect(machine.unacknowledged(by: .client, 0) == .close(.init(resetClient: true)))
  }

  @Test("A side that reset after its end of stream is still passed on as a reset")
  func passesALateResetOn() {
    var machine = StreamRelayMachine()
    machine.ready(.target, [.readable, .peerEnded])
    machine.didRead(from: .target, .ended)
    machine.didShutDown(.client)
    #expect(machine.nextStep() == .wait)
    machine.ready(.target, [.error, .hungUp])
    #expect(machine.nextStep() == .askUnacknowledged(.client))
    #expect(machine.unacknowledged(by: .client, 0) == .close(.init(resetClient: true)))
  }

  @Test("When both sides are gone, both are closed at once")
  func closesWhenBothAreGone() {
    var machine = StreamRelayMachine()
    machine.ready(.client, [.readable, .error])
    machine.readFailed(from: .client)
    #expect(machine.nextStep() == .askUnacknowledged(.target))
    #expect(machine.unacknowledged(by: .target, 1) == .wait)
    machine.ready(.target, [.readable, .error])
    #expect(machine.nextStep() == .close(.init(resetClient: true, resetTarget: true)))
  }

  @Test("Without half-close, the end of one side ends the other after what is held")
  func cutsWhenHalfCloseIsOff() {
    var machine = StreamRelayMachine(passesHalfClose: false)
    machine.ready(.target, .readable)
    machine.didRead(from: .target, .moved(8))
    machine.didWrite(to: .client, .wouldBlock)
    machine.ready(.client, .readable)
    machine.didRead(from: .client, .ended)
    #expect(machine.nextStep() == .shutDown(.target))
    machine.didShutDown(.target)
    #expect(machine.nextStep() == .wait)
    machine.ready(.client, .writable)
    #expect(machine.nextStep() == .write(.client))
    machine.didWrite(to: .client, .moved(8))
    #expect(machine.nextStep() == .discard(.target), "is there more that would be cut off?")
    machine.didRead(from: .target, .wouldBlock)
    #expect(machine.nextStep() == .shutDown(.client))
    machine.didShutDown(.client)
    #expect(machine.patience == .closing)
    machine.ready(.target, .readable)
    #expect(machine.nextStep() == .discard(.target))
    machine.didRead(from: .target, .ended)
    #expect(machine.nextStep() == .close(.init()))
  }

  @Test("Without half-close, bytes that are cut off are a reset and no end of stream")
  func resetsWhatIsCutOff() {
    var machine = StreamRelayMachine(passesHalfClose: false)
    machine.ready(.target, .readable)
    machine.ready(.client, .readable)
    machine.didRead(from: .client, .ended)
    machine.didShutDown(.target)
    #expect(machine.nextStep() == .discard(.target))
    machine.didRead(from: .target, .moved(100))
    #expect(machine.nextStep() == .close(.init(resetClient: true, resetTarget: true)))
    #expect(machine.isTruncated)
    #expect(machine.lost == 100)
  }

  @Test("Neither direction starves the other")
  func alternates() {
    var machine = StreamRelayMachine()
    machine.ready(.client, .readable)
    machine.ready(.target, .readable)
    var reads: [Side] = []
    for _ in 0..<20 {
      switch machine.nextStep() {
      case .read(let side):
        reads.append(side)
        machine.didRead(from: side, .moved(1))
      case .write(let side): machine.didWrite(to: side, .moved(1))
      case .wait, .discard, .shutDown, .askUnacknowledged, .close: Issue.record("unexpected step")
      }
    }
    #expect(abs(reads.filter { $0 == .client }.count - reads.filter { $0 == .target }.count) <= 1)
  }

  @Test("Asking for the next step changes nothing")
  func isIdempotent() {
    var machine = StreamRelayMachine()
    machine.ready(.client, .readable)
    let before = machine
    #expect(machine.nextStep() == machine.nextStep())
    #expect(machine == before)
  }
}
