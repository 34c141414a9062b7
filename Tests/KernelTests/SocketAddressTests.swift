import Foundation
import Glibc
import Testing

@testable import Kernel

@Suite struct SocketAddressTests {
  @Test(arguments: [
    (SocketAddress.ip(.v4(0xc000_0201), port: 80), "192.0.2.1:80"),
    (.ip(.loopback6, port: 65_535), "[::1]:65535"),
    (.ip(.v6(0xfe80_0000_0000_0000, 1, scope: 1), port: 1), "[fe80::1%lo]:1"),
    (.unix(.path("/run/x.sock")), "unix:/run/x.sock"), (.unix(.abstract("name")), "unix:@name"),
    (.unix(.unnamed), "unix:"),
  ])
  func anAddressPrintsAsPeopleWriteIt(address: SocketAddress, text: String) {
    #expect(address.description == text)
  }

  static let longestPath = "/" + String(repeating: "p", count: UnixName.pathLimit - 1)
  static let longestName = String(repeating: "n", count: UnixName.pathLimit)

  @Test(arguments: [
    SocketAddress.ip(.v4(0x0102_0304), port: 0x0506), .ip(.any4, port: 0),
    .ip(.v6(0x0102_0304_0506_0708, 0x090a_0b0c_0d0e_0f10, scope: 0xffff_ffff), port: 0x1112),
    .unix(.path("x")), .unix(.path(longestPath)), .unix(.abstract("a")),
    .unix(.abstract(longestName)), .unix(.abstract("with\0zero")), .unix(.unnamed),
  ])
  func anAddressSurvivesTheKernelsForm(address: SocketAddress) {
    var storage = sockaddr_storage()
    let length = unsafe address.withKernelForm { form, length in
      unsafe withUnsafeMutableBytes(of: &storage) {
        unsafe $0.copyMemory(from: UnsafeRawBufferPointer(start: form, count: Int(length)))
      }
      return length
    }
    #expect(SocketAddress(kernelForm: &storage, length: length) == address)
  }

  @Test func anotherFamilyIsNoAddress() {
    var storage = sockaddr_storage()
    storage.ss_family = sa_family_t(AF_NETLINK)
    #expect(SocketAddress(kernelForm: &storage, length: 12) == nil)
  }

  @Test func aNameThatDoesNotFitTraps() async {
    await #expect(processExitsWith: .failure) {
      let path = String(repeating: "p", count: UnixName.pathLimit + 1)
      unsafe UnixName.path(path).withKernelForm { _, _ in }
    }
    await #expect(processExitsWith: .failure) {
      let name = String(repeating: "n", count: UnixName.pathLimit + 1)
      unsafe UnixName.abstract(name).withKernelForm { _, _ in }
    }
  }

  @Test func onlyIPAddressesHavePorts() {
    #expect(SocketAddress.ip(.any4, port: 7).port == 7)
    #expect(SocketAddress.unix(.path("x")).port == nil)
    let mapped = SocketAddress.ip(.v6(0, 0xffff_7f00_0001, scope: 0), port: 7)
    #expect(mapped.unmapped == .ip(.loopback4, port: 7))
    #expect(SocketAddress.unix(.unnamed).unmapped == .unix(.unnamed))
  }

  // MARK: Real sockets

  @Test(arguments: [IPAddress.loopback4, .loopback6])
  func aConnectionKnowsBothItsAddresses(address: IPAddress) throws {
    let pair = try SocketPair(at: .ip(address, port: 0))
    #expect(try pair.near.localAddress() == pair.far.remoteAddress())
    #expect(try pair.near.remoteAddress() == pair.far.localAddress())
    guard case .ip(address, let port) = try pair.near.remoteAddress() else {
      Issue.record("the peer has another address")
      return
    }
    #expect(port > 0)
  }

  @Test func anIPv4PeerOfADualStackListenerComesMapped() throws {
    let listener = try Descriptor.streamSocket(for: .ip(.any6, port: 0))
    try listener.set(.ipv6Only, 0)
    try listener.bind(to: .ip(.any6, port: 0))
    try listener.listen(backlog: 1)
    let port = try #require(try listener.localAddress().port)
    let client = try Descriptor.streamSocket(for: .ip(.loopback4, port: port))
    _ = try client.connect(to: .ip(.loopback4, port: port))
    let peer = try accepted(from: listener).peer
    #expect(peer != peer.unmapped)
    #expect(try peer.unmapped == client.localAddress())
  }

  @Test func unixSocketsKnowTheirPathAndTheirUnnamedPeer() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileStatus.unlink(path) }
    let pair = try SocketPair(at: .unix(.path(path)))
    #expect(try pair.near.remoteAddress() == .unix(.path(path)))
    #expect(try pair.far.remoteAddress() == .unix(.unnamed))
    #expect(try FileStatus(of: path)?.isSocket == true)
    #expect(try FileStatus(of: path)?.owner == FileStatus.ownUser)
  }

  @Test func abstractSocketsLeaveNoFile() throws {
    let name = UUID().uuidString
    let pair = try SocketPair(at: .unix(.abstract(name)))
    #expect(try pair.near.remoteAddress() == .unix(.abstract(name)))
    #expect(try FileStatus(of: name) == nil)
  }
}
