import Kernel
import Testing

@testable import Names

@Suite struct AskedNameTests {
  @Test(arguments: ["a", "a-b", "_srv._tcp.example", "xn--bcher-kva.example", "1a.2b", "a1"])
  func aHostsNameIsAskedForInLowerCase(name: String) throws {
    #expect(AskedName(name.uppercased()) == AskedName(name))
    #expect(AskedName(name) == .domain(try #require(DomainName(name))))
  }

  @Test func theDotAtTheEndIsKeptApart() throws {
    let absolute = try #require(DomainName("web.example."))
    let relative = try #require(DomainName("web.example"))
    #expect(absolute.text == relative.text)
    #expect(absolute.isAbsolute && !relative.isAbsolute)
    #expect(absolute.key != relative.key)
    #expect(absolute.dots == 1 && relative.dots == 1)
  }

  @Test func theLongestNameIsTakenAndALongerOneIsNot() {
    let longest = String(repeating: "abcdefg.", count: 31) + "abcde"
    #expect(longest.utf8.count == 253)
    #expect(DomainName(longest) != nil)
    #expect(DomainName(longest + ".") != nil)
    #expect(DomainName(longest + "x") == nil)
    #expect(DomainName(String(repeating: "a", count: 63)) != nil)
    #expect(DomainName(String(repeating: "a", count: 64)) == nil)
  }

  @Test func anAddressIsNoName() {
    #expect(AskedName("10.0.0.1") == .address(.v4(0x0a00_0001)))
    #expect(AskedName("::1") == .address(.loopback6))
    #expect(AskedName("10.0.0.1.") == .invalid)
  }

  @Test func onlyLocalhostItselfAndWhatIsUnderItIsThisMachine() {
    #expect(AskedName("a.localhost") == .localhost)
    #expect(AskedName("notlocalhost") != .localhost)
    #expect(AskedName("localhost.example") != .localhost)
  }
}
