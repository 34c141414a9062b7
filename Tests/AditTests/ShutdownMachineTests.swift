import Testing

@testable import AditCommands

/// How the program ends, as conversations.
@Suite struct ShutdownMachineTests {
  @Test("It drains until no flow is left")
  func drains() {
    var machine = ShutdownMachine()
    #expect(machine.isRunning)
    #expect(machine.handle(.idle) == .none)
    #expect(machine.handle(.endRequested) == .drain)
    #expect(!machine.isRunning)
    #expect(machine.handle(.idle) == .stop)
    #expect(machine.handle(.idle) == .none)
    #expect(machine.handle(.timeOver) == .none)
    #expect(machine.handle(.endRequested) == .none)
  }

  @Test("It resets what is left when the time is over")
  func resetsLate() {
    var machine = ShutdownMachine()
    #expect(machine.handle(.endRequested) == .drain)
    #expect(machine.handle(.timeOver) == .reset(.timeOver))
    #expect(machine.handle(.idle) == .stop)
  }

  @Test("A second request resets at once, and a third does not wait for that")
  func obeysAgain() {
    var machine = ShutdownMachine()
    #expect(machine.handle(.endRequested) == .drain)
    #expect(machine.handle(.endRequested) == .reset(.asked))
    #expect(machine.handle(.endRequested) == .stop)
  }

  @Test("It stops even when flows do not close after their reset")
  func stopsAnyway() {
    var machine = ShutdownMachine()
    #expect(machine.handle(.endRequested) == .drain)
    #expect(machine.handle(.timeOver) == .reset(.timeOver))
    #expect(machine.handle(.timeOver) == .stop)
  }
}
