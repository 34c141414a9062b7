import Glibc
import Kernel
import Testing

/// Counts of descriptors have a process of their own: other tests open some at the same time.
@Suite struct DescriptorTests {
  @Test func anOwnerClosesWhenItEndsAndOnlyThen() async {
    await #expect(processExitsWith: .success) {
      let before = try openDescriptors()
      do {
        let descriptor = try Descriptor.quiet()
        #expect(try openDescriptors() == before + 1)
        _ = consume descriptor
        #expect(try openDescriptors() == before)
      }
      // Closed twice, the number of another descriptor would go: one takes it and stays.
      let next = try Descriptor.quiet()
      #expect(fcntl(next.number, F_GETFD) >= 0)
      #expect(try openDescriptors() == before + 1)
    }
  }

  @Test func aReleasedNumberStaysOpenForItsNewOwner() async {
    await #expect(processExitsWith: .success) {
      let before = try openDescriptors()
      let number = try Descriptor.quiet().release()
      #expect(try openDescriptors() == before + 1)
      _ = Descriptor(adopting: number)
      #expect(try openDescriptors() == before)
    }
  }

  @Test func aListOwnsWhatIsInIt() async {
    await #expect(processExitsWith: .success) {
      let before = try openDescriptors()
      do {
        var list = DescriptorList(try Descriptor.quiet())
        list.append(try Descriptor.quiet())
        var numbers: Set<Int32> = []
        try list.forEach { numbers.insert($0.number) }
        #expect(numbers.count == 2)
        #expect(throws: Errno.timedOut) {
          try list.forEach { _ throws(Errno) in throw .timedOut }
        }
        #expect(try openDescriptors() == before + 2)
        _ = consume list
      }
      #expect(try openDescriptors() == before)
      var list = DescriptorList(try Descriptor.quiet())
      list.append(try Descriptor.quiet())
      for number in list.release() { _ = Descriptor(adopting: number) }
      #expect(try openDescriptors() == before)
    }
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
