import Kernel
import Testing

@testable import Reactor

@Suite struct RegistrationTableTests {
  private final class Handler: EventHandler {
    func handle(_ readiness: Readiness, tag: UInt32) {}
  }

  private let first = Handler()
  private let second = Handler()
  private var table = RegistrationTable()

  @Test mutating func aRegistrationIsFoundByItsNumber() throws {
    let one = table.insert(first, tag: 1)
    let two = table.insert(second, tag: 2)
    let found = try #require(table.lookUp(one.data))
    #expect(found.handler === first)
    #expect(found.tag == 1)
    #expect(table.lookUp(two.data)?.handler === second)
    #expect(table.count == 2)
  }

  @Test mutating func aRemovedRegistrationIsNotFound() {
    let one = table.insert(first, tag: 1)
    table.remove(one)
    #expect(table.lookUp(one.data) == nil)
    #expect(table.count == 0)
  }

  @Test mutating func whoeverReusesASlotDoesNotGetItsStaleEvents() {
    let old = table.insert(first, tag: 1)
    table.remove(old)
    let new = table.insert(second, tag: 2)
    #expect(old.slot == new.slot)
    #expect(table.lookUp(old.data) == nil)
    #expect(table.lookUp(new.data)?.handler === second)
  }

  @Test mutating func removingWhatIsNotInForceLeavesOthersAlone() {
    let old = table.insert(first, tag: 1)
    table.remove(old)
    let new = table.insert(second, tag: 2)
    table.remove(old)
    table.remove(.none)
    table.remove(Registration(slot: 99, number: 1))
    #expect(table.lookUp(new.data)?.handler === second)
    #expect(table.count == 1)
  }

  @Test mutating func aRegistrationCanBeHandedOn() {
    let one = table.insert(first, tag: 1)
    table.replace(one, second, tag: 2)
    #expect(table.lookUp(one.data)?.handler === second)
    #expect(table.lookUp(one.data)?.tag == 2)
  }

  @Test func handingOnWhatIsNotInForceTraps() async {
    await #expect(processExitsWith: .failure) {
      var table = RegistrationTable()
      let old = table.insert(Handler(), tag: 1)
      table.remove(old)
      table.replace(old, Handler(), tag: 2)
    }
  }

  @Test func afterTheLastNumberTheFirstOneComesAgain() {
    var table = RegistrationTable(lastNumber: .max - 1)
    let last = table.insert(first, tag: 1)
    let next = table.insert(second, tag: 2)
    #expect(last.number == .max)
    #expect(next.number == 1)
    #expect(table.lookUp(Registration.none.data) == nil)
  }

  @Test mutating func dataThatWasNeverGivenOutFindsNobody() {
    _ = table.insert(first, tag: 1)
    for data in [0, 1, .max, 1 << 32 | 7] as [UInt64] {
      #expect(table.lookUp(data) == nil)
    }
  }
}
