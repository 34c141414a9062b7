import Glibc
import Testing

@testable import Kernel

@Suite struct ErrnoTests {
  @Test func anErrorHasItsNameAndItsSentence() {
    #expect(Errno.connectionRefused.name == "ECONNREFUSED")
    #expect(Errno.connectionRefused.description == "Connection refused (ECONNREFUSED)")
  }

  @Test func aNumberThatIsNoErrorIsStillPrinted() {
    #expect(Errno(rawValue: 99_999).description == "errno 99999")
  }

  @Test func theLimitsOfProcessAndSystemPass() {
    for error in [Errno(rawValue: EMFILE), .init(rawValue: ENFILE), .init(rawValue: ENOBUFS)] {
      #expect(error.isResourceLimit)
    }
    #expect(Errno.outOfMemory.isResourceLimit)
    #expect(!Errno.connectionRefused.isResourceLimit)
  }

  @Test func aNegativeResultIsThrownAsItsError() throws {
    #expect(throws: Errno.connectionReset) { _ = try check(-ECONNRESET) }
    #expect(throws: Errno.connectionReset) { _ = try check(-Int(ECONNRESET)) }
    #expect(try check(Int32(0)) == 0)
    #expect(try check(Int.max) == .max)
  }

  @Test func callsFailWithTheirError() throws {
    let free = try Descriptor.streamSocket(for: .ip(.loopback4, port: 0))
    #expect(throws: Errno.notConnected) { _ = try free.remoteAddress() }
    #expect(throws: Errno.notConnected) { try free.shutdownWrite() }
    #expect(throws: Errno.addressNotAvailable) {
      try free.bind(to: .ip(.v4(0xc000_0201), port: 0))
    }
    let pipe = try Descriptor.quiet()
    #expect(throws: Errno.notASocket) { _ = try pipe.localAddress() }
  }
}
