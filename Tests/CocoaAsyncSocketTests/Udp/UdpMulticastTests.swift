import CocoaAsyncSocket
import Foundation
import Kernel
import Reactor
import TestSupport
import Testing

/// Groups, broadcast and interfaces, in a network of the test's own.
@Suite(
  "Groups of GCDAsyncUdpSocket", .enabled(if: NetworkNamespace.isAvailable),
  .timeLimit(.minutes(1)))
struct UdpMulticastTests {
  /// Runs `body` where the loops of the process's sockets are in the network too.
  private static func inNetwork(_ body: () throws -> Void) throws {
    let loop = try NetworkNamespace.makeLoop()
    loop.sync {
      // Their threads are started here.
      _ = GCDAsyncUdpSocket()
      do { try body() } catch { Issue.record(error) }
    }
  }

  @Test("Several groups of both families and unicast arrive at one socket")
  func severalGroups() async {
    await #expect(processExitsWith: .success) {
      try UdpMulticastTests.inNetwork {
        let heard = UdpRecorder()
        let member = heard.socket()
        try member.bind(toPort: 0)
        for group in ["239.1.1.1", "239.1.1.2", "ff02::5:1"] {
          try member.joinMulticastGroup(group, onInterface: "one")
        }
        try member.joinMulticastGroup("239.1.1.1", onInterface: "10.7.2.1")
        try member.beginReceiving()
        let told = UdpRecorder()
        let sender = told.socket()
        func send(_ number: UInt8, _ host: String, _ interface: String) throws -> UdpRecorder.Event
        {
          try sender.sendIPv4Multicast(onInterface: interface)
          try sender.sendIPv6Multicast(onInterface: interface)
          sender.send(
            Data([number]), toHost: host, port: member.localPort(), withTimeout: -1,
            tag: Int(number))
          return try told.next()
        }
        let cases: [(String, String, Bool)] = [
          ("239.1.1.1", "one", true), ("239.1.1.1", "10.7.2.1", true), ("239.1.1.2", "two", false),
          ("239.1.1.2", "one", true), ("ff02::5:1", "one", true), ("10.7.1.1", "one", true),
          ("fd07:2::1", "one", true), ("fe80::1%one", "one", true),
        ]
        for (number, (host, interface, isHeard)) in cases.enumerated() {
          #expect(try send(UInt8(number), host, interface) == .sent(number))
          if isHeard { #expect(try heard.next() == .received(Data([UInt8(number)]))) }
        }
        try member.leaveMulticastGroup("239.1.1.2", onInterface: "one")
        #expect(try send(100, "239.1.1.2", "one") == .sent(100))
        #expect(try send(101, "127.0.0.1", "one") == .sent(101))
        #expect(try heard.next() == .received(Data([101])))
        #expect(member.isIPv4() && member.isIPv6(), "both families stay open")
      }
    }
  }

  @Test("Broadcast and groups reach a socket that is bound to an interface, others do not")
  func boundToInterface() async {
    await #expect(processExitsWith: .success) {
      try UdpMulticastTests.inNetwork {
        let heard = UdpRecorder()
        let member = heard.socket()
        try member.bind(toPort: 0, interface: "one")
        #expect(member.localHost_IPv4() == "10.7.1.1")
        try member.joinMulticastGroup("239.1.1.1", onInterface: "one")
        try member.joinMulticastGroup("239.1.1.1", onInterface: "two")
        try member.beginReceiving()
        let told = UdpRecorder()
        let sender = told.socket()
        func send(_ number: UInt8, _ host: String, _ interface: String) throws -> UdpRecorder.Event
        {
          try sender.sendIPv4Multicast(onInterface: interface)
          sender.send(
            Data([number]), toHost: host, port: member.localPort(), withTimeout: -1,
            tag: Int(number))
          return try told.next()
        }
        #expect(try send(1, "10.7.1.255", "one") == .notSent(1, .permissionDenied))
        try sender.enableBroadcast(true)
        #expect(try send(2, "10.7.1.255", "one") == .sent(2))
        #expect(try heard.next() == .received(Data([2])))
        #expect(try send(3, "239.1.1.1", "two") == .sent(3))
        #expect(try send(4, "127.0.0.1", "one") == .sent(4))
        #expect(try send(5, "239.1.1.1", "one") == .sent(5))
        #expect(try heard.next() == .received(Data([5])))
        #expect(try send(6, "10.7.1.1", "one") == .sent(6))
        #expect(try heard.next() == .received(Data([6])))
        member.send(
          Data([7]), toHost: "10.7.2.1", port: sender.localPort(), withTimeout: -1, tag: 7)
        try sender.receiveOnce()
        #expect(try told.next() == .received(Data([7])))
        let source = try #require(told.sources.last)
        #expect(GCDAsyncUdpSocket.host(fromAddress: source) == "10.7.1.1")
      }
    }
  }

  @Test("The interface that a socket is bound to is the scope of a link-local address")
  func scope() async {
    await #expect(processExitsWith: .success) {
      try UdpMulticastTests.inNetwork {
        let heard = UdpRecorder()
        let far = heard.socket()
        try far.bind(toPort: 0)
        try far.beginReceiving()
        let told = UdpRecorder()
        let near = told.socket()
        try near.bind(toPort: 0, interface: "one")
        near.send(
          Data([1]), toHost: "fe80::1", port: far.localPort(), withTimeout: -1, tag: 1)
        #expect(try told.next() == .sent(1))
        #expect(try heard.next() == .received(Data([1])))
        let source = try #require(heard.sources.last)
        #expect(GCDAsyncUdpSocket.host(fromAddress: source) == "fe80::1%one")
      }
    }
  }

  @Test("When there is no room, a datagram's time is limited and the queue goes on")
  func timeout() async {
    await #expect(processExitsWith: .success) {
      try UdpMulticastTests.inNetwork {
        let told = UdpRecorder()
        let near = told.socket()
        try near.bind(toPort: 0, interface: "10.7.1.1")
        near.perform {
          var size: Int32 = 4608
          unsafe setsockopt(near.socket4FD(), SOL_SOCKET, SO_SNDBUF, &size, 4)
        }
        // Nobody answers for the address: what is sent waits for a second and more.
        for tag in 0..<20 {
          near.send(
            Data(count: 1400), toHost: "10.7.1.77", port: 9, withTimeout: 0.02, tag: tag)
        }
        near.send(Data([1]), toHost: "10.7.1.1", port: 9, withTimeout: -1, tag: 100)
        let events = try told.take(21)
        #expect(events.contains(.sent(0)))
        #expect(events.contains { $0 == .notSent(19, .sendTimeoutError) }, "\(events)")
        #expect(events.last == .sent(100), "\(events)")
      }
    }
  }
}
