import Foundation
import Kernel
import Reactor

@testable import SocketStreams
@testable import Sockets

/// Tells whether a connection's descriptor is still open: it lives as long as its owner.
struct DescriptorWatch {
  private weak var driver: LinkDriver?
  private let link: StreamLink

  init(_ pair: StreamPair) {
    guard let stream = pair.input as? any SocketStream else {
      preconditionFailure("the streams are of sockets")
    }
    link = stream.link
    driver = stream.link.look(\.driver)
  }

  var isOpen: Bool { driver != nil && link.look { $0.driver != nil } }

  func waitUntilClosed() {
    let deadline = Date(timeIntervalSinceNow: OwnThread.patience)
    while isOpen, Date() < deadline { sched_yield() }
  }

  /// Waits for the connection as a process does that exits, but longer.
  func waitAsAnExit() {
    ExitWait.wait(for: [link], until: Instant.now() + .seconds(20))
  }
}
