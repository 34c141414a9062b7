import Foundation
import Testing

@testable import CocoaAsyncSocket

/// The pure parts: what is permitted when, and the order of the queue.
@Suite("Rules of GCDAsyncUdpSocket") struct UdpMachineTests {
  private func refusal(
    _ body: () throws(UdpLifecycle.Refusal) -> Void
  ) -> UdpLifecycle.Refusal? {
    do throws(UdpLifecycle.Refusal) {
      try body()
      return nil
    } catch {
      return error
    }
  }

  @Test("Nothing is received before the socket is open, and groups need a binding")
  func opening() {
    var lifecycle = UdpLifecycle()
    #expect(refusal(lifecycle.checkReceive) == .notOpen)
    #expect(refusal(lifecycle.checkGroup) == .notBound)
    lifecycle.opened()
    #expect(refusal(lifecycle.checkReceive) == nil)
    #expect(refusal(lifecycle.checkBind) == nil)
    lifecycle.bound()
    #expect(refusal(lifecycle.checkGroup) == nil)
    #expect(refusal(lifecycle.checkBind) == .alreadyBound)
  }

  @Test("A destination is needed until the socket is connected, and refused afterwards")
  func destinations() {
    var lifecycle = UdpLifecycle()
    func check(_ hasDestination: Bool) -> UdpLifecycle.Refusal? {
      refusal { () throws(UdpLifecycle.Refusal) in
        try lifecycle.checkSend(hasDestination: hasDestination)
      }
    }
    #expect(check(false) == .notConnected)
    #expect(check(true) == nil)
    lifecycle.beganConnecting()
    #expect(check(false) == nil)
    #expect(refusal(lifecycle.checkConnect) == .connecting)
    lifecycle.connectingEnded(true)
    #expect(check(true) == .connected)
    #expect(refusal(lifecycle.checkConnect) == .connected)
    lifecycle.beganClosing()
    #expect(check(false) == .closing)
    lifecycle.closed()
    #expect(check(true) == nil)
    #expect(!lifecycle.isOpen)
  }

  @Test("The queue gives out in the order in which it was filled")
  func queueOrder() {
    var queue = UdpSendQueue()
    var next = 0
    for number in 0..<1000 {
      queue.append(
        UdpSend(kind: .datagram(Data(), tag: number, timeout: -1), destination: .peer))
      guard number % 3 != 0, let send = queue.popFirst() else { continue }
      guard case .datagram(_, let tag, _) = send.kind else { continue }
      #expect(tag == next)
      next += 1
    }
    #expect(queue.count == 1000 - next)
    queue.removeAll()
    let nothing = queue.popFirst()
    #expect(queue.isEmpty && nothing.map { $0.isFiltered } == nil)
  }
}
