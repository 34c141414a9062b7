import Kernel
import Sockets
import Testing

@testable import CocoaAsyncSocket

@Suite("Where a socket is bound to, as text")
struct LocalPlaceTests {
  private func place(_ text: String?) throws -> LocalPlace {
    try LocalPlace(text) { _ in [.loopback4] }
  }

  @Test(
    arguments: [
      ("127.0.0.1", IPAddress.loopback4, nil), ("127.0.0.1:80", .loopback4, 80),
      ("::1", .loopback6, nil), ("[::1]", .loopback6, nil), ("[::1]:81", .loopback6, 81),
    ] as [(String, IPAddress, UInt16?)])
  func addressesStandWithAndWithoutAPort(
    text: String, address: IPAddress, port: UInt16?
  ) throws {
    let place = try place(text)
    #expect(place.addresses == [address])
    #expect(place.port == port)
    #expect(place.interface == nil)
  }

  @Test func aPortMayStandAlone() throws {
    let place = try place(":7000")
    #expect(place.addresses.isEmpty)
    #expect(place.port == 7000)
    #expect(try self.place(nil) == self.place(""))
  }

  @Test(arguments: ["localhost", "loopback"])
  func theLoopbackHasBothFamilies(text: String) throws {
    #expect(try place(text).addresses == [.loopback4, .loopback6])
  }

  @Test func anInterfaceIsKnownByItsName() throws {
    let place = try place("lo:5000")
    #expect(place.interface == Interface.index(named: "lo"))
    #expect(place.addresses == [.loopback4])
    #expect(place.port == 5000)
  }

  @Test(arguments: [
    "nowhere0", "1", "127.0.0.1:x", "127.0.0.1:65536", "127.0.0.1:-1", "[::1]x", "]",
  ])
  func whatCannotBeUsedIsNamed(text: String) {
    let error = #expect(throws: SocketError.self) { try place(text) }
    guard case .invalid(let what, _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(what.contains(text.split(separator: ":").last.map { String($0) } ?? text))
  }
}
