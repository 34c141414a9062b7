import Glibc
import Kernel
import TestSupport
import Testing

/// Counts of descriptors have a process of their own: other tests open some at the same time.
@Suite struct DescriptorTests {
  @Test func anOwnerClosesWhenItEndsAndOnlyThen() async {
    await #expect(processExitsWith: .success) {
      final class Owner {
        let descriptor: Descriptor
        init() throws { descriptor = try Descriptor.quiet() }
      }
      let growth = DescriptorGrowth()
      var owners = try (0..<DescriptorGrowth.many).map { _ in try Owner() }
      #expect(growth.isAbout(owners.count))
      owners = []
      #expect(growth.isAbout(0))
    }
  }

  /// Closed twice, a number would be taken from whoever got it in between.
  @Test func aReleasedNumberIsTheNewOwnersAlone() async {
    await #expect(processExitsWith: .success) {
      for _ in 0..<DescriptorGrowth.many {
        let number = try Descriptor.quiet().release()
        #expect(fcntl(number, F_GETFD) >= 0)
        let owner = Descriptor(adopting: number)
        #expect(fcntl(owner.number, F_GETFD) >= 0)
      }
    }
  }

  @Test func releasedNumbersStayOpen() async {
    await #expect(processExitsWith: .success) {
      let growth = DescriptorGrowth()
      let numbers = try (0..<DescriptorGrowth.many).map { _ in try Descriptor.quiet().release() }
      #expect(growth.isAbout(numbers.count))
      for number in numbers { _ = Descriptor(adopting: number) }
      #expect(growth.isAbout(0))
    }
  }

  @Test func aListOwnsWhatIsInIt() async {
    await #expect(processExitsWith: .success) {
      let growth = DescriptorGrowth()
      do {
        let list = try DescriptorTests.list(of: DescriptorGrowth.many)
        var numbers: Set<Int32> = []
        try list.forEach { numbers.insert($0.number) }
        #expect(numbers.count == DescriptorGrowth.many)
        #expect(throws: Errno.timedOut) {
          try list.forEach { _ throws(Errno) in throw .timedOut }
        }
        #expect(growth.isAbout(DescriptorGrowth.many))
        _ = consume list
      }
      #expect(growth.isAbout(0))
    }
  }

  @Test func aListGivesItsNumbersAway() async {
    await #expect(processExitsWith: .success) {
      let growth = DescriptorGrowth()
      let numbers = try DescriptorTests.list(of: DescriptorGrowth.many).release()
      #expect(growth.isAbout(numbers.count))
      for number in numbers { _ = Descriptor(adopting: number) }
      #expect(growth.isAbout(0))
    }
  }

  private static func list(of count: Int) throws -> DescriptorList {
    var list = DescriptorList(try Descriptor.quiet())
    for _ in 1..<count { list.append(try Descriptor.quiet()) }
    return list
  }

  @Test func aDuplicateOutlivesItsOriginal() throws {
    let pair = try SocketPair()
    let original = try pair.near.duplicate()
    let duplicate = try original.duplicate()
    _ = consume original
    try duplicate.send([7])
    #expect(try pair.far.receive() == [7])
    #expect(fcntl(duplicate.number, F_GETFD) & FD_CLOEXEC != 0)
  }

  @Test func everyDescriptorIsNonblockingAndNotInherited() throws {
    let pair = try SocketPair()
    for number in [pair.near.number, pair.far.number] {
      #expect(fcntl(number, F_GETFL) & O_NONBLOCK != 0)
      #expect(fcntl(number, F_GETFD) & FD_CLOEXEC != 0)
    }
  }

  @Test func anInheritedDescriptorIsMadeNonblocking() throws {
    let inherited = Descriptor(adopting: socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
    #expect(fcntl(inherited.number, F_GETFL) & O_NONBLOCK == 0)
    try inherited.makeNonblocking()
    #expect(fcntl(inherited.number, F_GETFL) & O_NONBLOCK != 0)
    #expect(fcntl(inherited.number, F_GETFD) & FD_CLOEXEC != 0)
  }

  @Test func anInheritedNumberIsKeptAndDuplicated() throws {
    let original = try Descriptor.quiet()
    let inherited = try #require(InheritedDescriptor(original.number))
    let duplicate = try inherited.duplicate()
    #expect(duplicate.number != original.number)
    #expect(InheritedDescriptor(-1) == nil)
    #expect(InheritedDescriptor(1_000_000) == nil)
  }

  @Test func aQuietDescriptorIsNeverReady() throws {
    let quiet = try Descriptor.quiet()
    let poller = try Poller()
    try poller.add(quiet.number, for: [.readable, .writable], data: 0)
    #expect(try poller.wait(milliseconds: 10) == 0)
  }

  @Test func aNegativeNumberCannotBeAdopted() async {
    await #expect(processExitsWith: .failure) { _ = Descriptor(adopting: -1) }
  }
}
