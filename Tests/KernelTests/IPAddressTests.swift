import Kernel
import TestSupport
import Testing

@Suite struct IPAddressTests {
  @Test(arguments: [
    ("0.0.0.0", IPAddress.any4), ("127.0.0.1", .loopback4), ("192.0.2.1", .v4(0xc000_0201)),
    ("255.255.255.255", .v4(.max)), ("::", .any6), ("::1", .loopback6),
    ("2001:db8::1", .v6(0x2001_0db8_0000_0000, 1, scope: 0)),
    ("2001:db8:1:2:3:4:5:6", .v6(0x2001_0db8_0001_0002, 0x0003_0004_0005_0006, scope: 0)),
    ("::ffff:192.0.2.1", .v6(0, 0xffff_c000_0201, scope: 0)),
    ("fe80::1%lo", .v6(0xfe80_0000_0000_0000, 1, scope: 1)),
  ])
  func anAddressReadsAndPrintsAsTheSameText(text: String, address: IPAddress) {
    #expect(IPAddress(text) == address)
    #expect(address.description == text)
  }

  @Test(arguments: [
    ("2001:DB8:0:0:0:0:0:1", "2001:db8::1"), ("::ffff:c000:201", "::ffff:192.0.2.1"),
    ("fe80::1%1", "fe80::1%lo"), ("1:0:0:2:0:0:0:3", "1:0:0:2::3"),
  ])
  func otherSpellingsPrintAsTheUsualOne(text: String, usual: String) {
    #expect(IPAddress(text)?.description == usual)
  }

  @Test(arguments: [
    "", " ", "localhost", "127.1", "1.2.3", "1.2.3.4.5", "256.0.0.1", "01.2.3.4", "1.2.3.4 ",
    " 1.2.3.4", "1.2.3.4\0", "[::1]", ":::", "1::2::3", "::12345", "1:2:3:4:5:6:7", "::1%",
    "::1%0", "::1%no-such-interface", "::1%lo\0", "1.2.3.4%lo", "0x7f000001", "2130706433",
    "::1/128", "fe80::1%lo%lo",
  ])
  func whatIsNotExactlyOneAddressIsNone(text: String) {
    #expect(IPAddress(text) == nil)
  }

  @Test func aScopeWithoutInterfacePrintsAsItsNumber() {
    let address = IPAddress.v6(0xfe80_0000_0000_0000, 1, scope: 4_000_000)
    #expect(address.description == "fe80::1%4000000")
    #expect(IPAddress("fe80::1%4000000") == address)
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func randomAddressesSurviveTheirText(seed: UInt64) {
    var generator = Seeded(seed)
    for _ in 0..<500 {
      let bits = generator.next()
      let lower = generator.next() & generator.next() & generator.next()
      let upper = generator.next() & generator.next()
      for address in [
        IPAddress.v4(UInt32(truncatingIfNeeded: bits)), .v6(upper, lower, scope: 0),
      ] {
        #expect(IPAddress(address.description) == address)
      }
    }
  }

  @Test func aMappedAddressBecomesIPv4AndOthersStay() {
    #expect(IPAddress("::ffff:192.0.2.1")?.unmapped == .v4(0xc000_0201))
    #expect(IPAddress("::ffff:0.0.0.0")?.unmapped == .any4)
    for text in ["::1", "::192.0.2.1", "64:ff9b::192.0.2.1", "1::ffff:192.0.2.1", "192.0.2.1"] {
      let address = IPAddress(text)
      #expect(address?.unmapped == address)
    }
  }

  @Test func loopbackAndUnspecifiedAreKnownInBothFamilies() {
    #expect(IPAddress("127.255.255.254")?.isLoopback == true)
    #expect(IPAddress("::1")?.isLoopback == true)
    #expect(IPAddress("128.0.0.1")?.isLoopback == false)
    #expect(IPAddress("::2")?.isLoopback == false)
    #expect(IPAddress.any4.isUnspecified && IPAddress.any6.isUnspecified)
    #expect(!IPAddress.loopback4.isUnspecified && !IPAddress.loopback6.isUnspecified)
    #expect(IPAddress.any6.isIPv6 && !IPAddress.any4.isIPv6)
  }

  @Test func interfacesAreKnownByNameAndNumber() {
    #expect(Interface.index(named: "lo") == 1)
    #expect(Interface.index(named: "1") == 1)
    #expect(Interface.name(of: 1) == "lo")
    for name in ["", "0", "-1", "+1", "no-such-interface", "lo\0"] {
      #expect(Interface.index(named: name) == nil)
    }
  }
}
