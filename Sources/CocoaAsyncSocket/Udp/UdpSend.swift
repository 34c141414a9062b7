internal import Foundation
internal import Kernel

/// What stands in the queue for sending: datagrams, and a connecting that those behind it wait for.
struct UdpSend {
  enum Destination {
    case peer
    case address(SocketAddress)
    case host(String, port: UInt16)
  }

  enum Kind {
    case datagram(Data, tag: Int, timeout: TimeInterval)
    case connecting
  }

  let kind: Kind
  var destination: Destination
  /// The filter has been asked about it.
  var isFiltered = false

  /// Datagrams that one socket keeps in line at most.
  static let limit = 65_536
}

/// The queue: first in, first out, one at a time.
struct UdpSendQueue {
  private var waiting: [UdpSend?] = []
  private var head = 0

  var count: Int { waiting.count - head }
  var isEmpty: Bool { count == 0 }

  mutating func append(_ send: UdpSend) { waiting.append(send) }

  mutating func popFirst() -> UdpSend? {
    guard head < waiting.count else { return nil }
    let first = waiting[head]
    waiting[head] = nil
    head += 1
    // Moved down once for each time as many have gone as are left: amortised to one move each.
    if head > 32, head * 2 > waiting.count {
      waiting.removeFirst(head)
      head = 0
    }
    return first
  }

  mutating func removeAll() {
    waiting = []
    head = 0
  }
}
