import DelegateClients
import Dispatch
import Foundation
import Kernel
import Reactor
import TestSupport
import Testing

@testable import CocoaAsyncSocket

/// Clients in Swift 5, written as they are for iOS.
@Suite struct WrittenClientTests {
  @Test("a subclass that overrides the methods of the class that conforms is called")
  func subclass() throws {
    let listener = try BlockingSocket.listening()
    let heard = Monitor<[String]>([])
    let client = LineClient { line in
      heard.withLock { $0.append(line) }
      heard.signal()
    } ended: { error in
      heard.withLock { $0.append(error.map { "\($0)" } ?? "ended") }
      heard.signal()
    }
    client.connect(port: try listener.address.port ?? 0)
    let peer = try listener.accept()
    #expect(peer.receive(7) == Array("hello\r\n".utf8))
    try peer.send("welcome\r\n")
    let all = heard.wait(until: .now() + .seconds(20)) { $0.count == 2 ? $0 : nil }
    #expect(all == ["welcome\r\n", "ended"])
  }

  @Test("a datagram's answer comes to a delegate in Swift 5 with its address")
  func beacon() throws {
    let device = UdpRecorder()
    let socket = device.socket()
    try socket.bind(toPort: 0, interface: "127.0.0.1")
    try socket.beginReceiving()
    let found = Monitor<(String, UInt16, String)?>(nil)
    let beacon = Beacon { host, port, text in
      found.withLock { $0 = (host, port, text) }
      found.signal()
    }
    beacon.begin()
    beacon.search(at: "127.0.0.1", port: socket.localPort())
    _ = try device.take(1)
    let asker = try #require(device.sources.first)
    socket.send(Data("here".utf8), toAddress: asker, withTimeout: 5, tag: 0)
    let answer = try #require(found.wait(until: .now() + .seconds(20)) { $0 })
    #expect(answer.0 == "127.0.0.1")
    #expect(answer.1 == socket.localPort())
    #expect(answer.2 == "here")
    #expect(beacon.error == nil)
    beacon.end()
    socket.close()
  }

  @Test("settings of TLS are taken in every form that people write")
  func settings() throws {
    for settings in WrittenSettings.all(host: "localhost") {
      _ = try TLSSettings(settings).plan(hostName: "localhost")
    }
  }
}

/// The line about a queue that stands still.
@Suite struct StallWatchTests {
  @Test("a queue that stands still is told of once, by its name")
  func line() throws {
    let lateness = Lock(Duration.zero)
    let loop = try EventLoop { Instant.now() + lateness.withLock { $0 } }
    let queue = DispatchQueue(label: "org.adit.stuck")
    queue.suspend()
    let calls = CallbackQueue(queue)
    // Watched by the test's own watch; the one that the queue makes is never run.
    calls.append(watchedBy: loop) {}
    var lines: [String] = []
    StallWatch(calls, loop) { lines.append($0) }.begin()
    try loop.turn(waitAtMost: .zero)
    #expect(lines.isEmpty)
    for _ in 0..<3 {
      lateness.withLock { $0 += StallWatch.patience + .seconds(1) }
      try loop.turn(waitAtMost: .zero)
    }
    let line = try #require(lines.first)
    #expect(lines.count == 1)
    #expect(line.hasPrefix("CocoaAsyncSocket: the delegate queue “org.adit.stuck” has not run"))
    #expect(line.hasSuffix("dispatchMain()?\n"))
    queue.resume()
    queue.sync {}
    loop.end()
  }
}
