import Foundation
import Glibc
import Kernel
import Testing

@Suite struct ProcessTests {
  @Test func theSoftDescriptorLimitIsRaisedToTheHardOne() async {
    await #expect(processExitsWith: .success) {
      let limits = try ProcessLimits.descriptorLimits()
      #expect(limits.soft <= limits.hard)
      #expect(try ProcessLimits.raiseDescriptorLimit() == min(limits.hard, Int(Int32.max)))
      #expect(try ProcessLimits.descriptorLimits().soft == limits.hard)
    }
  }

  @Test func thereIsAProcessor() {
    #expect(ProcessLimits.processorCount >= 1)
  }

  @Test func aThreadRunsWithItsNameAndIsJoined() throws {
    let seen = Lock<(name: String, number: UInt)>(("", 0))
    let thread = try KernelThread(name: "a-name-that-is-too-long") {
      let name = (try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)) ?? ""
      seen.withLock { $0 = (name, KernelThread.current) }
    }
    thread.join()
    #expect(seen.withLock { $0.name } == "a-name-that-is-\n")
    #expect(seen.withLock { $0.number } != KernelThread.current)
  }

  @Test func aLockLetsOneThreadInAtATime() throws {
    let count = Lock(0)
    let threads = try (0..<4).map { _ in
      try KernelThread(name: "counter") {
        for _ in 0..<10_000 { count.withLock { $0 += 1 } }
      }
    }
    for thread in threads { thread.join() }
    #expect(count.withLock { $0 } == 40_000)
  }

  @Test func aMonitorWakesWhoWaits() throws {
    let monitor = Monitor(0)
    let thread = try KernelThread(name: "signaller") {
      monitor.withLock { $0 = 7 }
      monitor.signal()
    }
    #expect(monitor.wait { $0 == 7 ? $0 : nil } == 7)
    thread.join()
    #expect(monitor.wait(until: Instant.now() + .milliseconds(5)) { $0 == 8 ? $0 : nil } == nil)
  }

  @Test func signalsComeAsNumbers() async {
    await #expect(processExitsWith: .success) {
      let source = try SignalSource([SIGUSR1, SIGUSR2])
      #expect(try source.next() == nil)
      raise(SIGUSR2)
      raise(SIGUSR2)
      #expect(try source.next() == SIGUSR2)
      #expect(try source.next() == nil)
    }
  }

  @Test func aFileIsReadAsFarAsItsLimit() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try Data(0..<100).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    #expect(try WholeFile.read(file.path, limit: 1000) == Array(0..<100))
    #expect(try WholeFile.read(file.path, limit: 10).count == 11)
    #expect(throws: Errno.noSuchFile) { try WholeFile.read(file.path + "x", limit: 1) }
  }

  @Test func aDatagramReachesItsUnixSocket() throws {
    let name = UnixName.abstract("adit-test-\(UUID().uuidString)")
    let type = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let receiver = Descriptor(adopting: socket(AF_UNIX, type, 0))
    try receiver.bind(to: .unix(name))
    try UnixDatagram.send("READY=1", to: name)
    #expect(try receiver.receive() == Array("READY=1".utf8))
    #expect(throws: Errno.connectionRefused) {
      try UnixDatagram.send("READY=1", to: .abstract("adit-test-nobody"))
    }
  }

  @Test func statusFollowsNoLinkAndMissesWhatIsNotThere() throws {
    let folder = FileManager.default.temporaryDirectory
    let link = folder.appending(path: UUID().uuidString)
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: folder)
    defer { try? FileStatus.unlink(link.path) }
    let status = try #require(try FileStatus(of: link.path))
    #expect(!status.isSocket)
    #expect(try status != FileStatus(of: folder.path))
    #expect(try FileStatus(of: link.path + "x") == nil)
    #expect(throws: Errno.noSuchFile) { try FileStatus.unlink(link.path + "x") }
  }
}
