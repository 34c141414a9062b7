import CocoaAsyncSocket
import Foundation
import Kernel
import TestSupport
import Testing

@Suite("Many delegates' sockets at once")
struct LoadTests {
  /// Gives back every line that comes, and counts ends.
  private final class Server: NSObject, GCDAsyncSocketDelegate, Sendable {
    let sockets = Lock<Set<GCDAsyncSocket>>([])

    func socket(_ sock: GCDAsyncSocket, didAcceptNewSocket newSocket: GCDAsyncSocket) {
      sockets.withLock { _ = $0.insert(newSocket) }
      newSocket.readData(to: GCDAsyncSocket.lfData(), withTimeout: 60, maxLength: 5000, tag: 0)
    }

    func socket(_ sock: GCDAsyncSocket, didRead data: Data, withTag tag: Int) {
      sock.write(data, withTimeout: 60, tag: 0)
      sock.readData(to: GCDAsyncSocket.lfData(), withTimeout: 60, maxLength: 5000, tag: 0)
    }

    func socketDidDisconnect(_ sock: GCDAsyncSocket, withError err: (any Error)?) {
      sockets.withLock { _ = $0.remove(sock) }
    }
  }

  /// What a client has to say, and what of it has come back.
  private struct Talk {
    var generator: Seeded
    var linesLeft: Int
    var awaited = Data()
    var hasFailed = false
  }

  /// Sends lines of any length in pieces of any size, and compares what comes back.
  private final class Clients: NSObject, GCDAsyncSocketDelegate, Sendable {
    let talks = Lock<[UInt64: Talk]>([:])
    let ended = Monitor(0)

    private func speak(_ sock: GCDAsyncSocket) {
      let pieces: [Data]? = talks.withLock { talks in
        guard var talk = talks[sock.identifier], talk.linesLeft > 0 else { return nil }
        talk.linesLeft -= 1
        let count = Int.random(in: 0...4000, using: &talk.generator)
        var line = Data((0..<count).map { _ in UInt8.random(in: 65...90, using: &talk.generator) })
        line.append(10)
        talk.awaited = line
        var pieces: [Data] = []
        while !line.isEmpty {
          let size = min(line.count, Int.random(in: 1...1500, using: &talk.generator))
          pieces.append(Data(line.prefix(size)))
          line = Data(line.dropFirst(size))
        }
        talks[sock.identifier] = talk
        return pieces
      }
      guard let pieces else { return sock.disconnectAfterWriting() }
      for piece in pieces { sock.write(piece, withTimeout: 60, tag: 0) }
      sock.readData(to: GCDAsyncSocket.lfData(), withTimeout: 60, tag: 0)
    }

    func socket(_ sock: GCDAsyncSocket, didConnectToHost host: String, port: UInt16) { speak(sock) }

    func socket(_ sock: GCDAsyncSocket, didRead data: Data, withTag tag: Int) {
      let isCut = talks.withLock { talks in
        if talks[sock.identifier]?.awaited != data { talks[sock.identifier]?.hasFailed = true }
        // Some leave in the middle, with or without a word.
        return talks[sock.identifier]?.generator.chance(3) ?? false
      }
      if isCut {
        talks.withLock { $0[sock.identifier]?.linesLeft = 0 }
        if sock.identifier % 2 == 0 { sock.abort() } else { sock.disconnect() }
      } else {
        speak(sock)
      }
    }

    func socketDidDisconnect(_ sock: GCDAsyncSocket, withError err: (any Error)?) {
      talks.withLock { talks in
        if err != nil || talks[sock.identifier]?.linesLeft != 0 {
          talks[sock.identifier]?.hasFailed = true
        }
      }
      ended.withLock { $0 += 1 }
      ended.signal()
    }
  }

  @Test("a thousand clients talk and leave as they like", arguments: [1, 2] as [UInt64])
  func aThousandClientsTalkAndLeave(seed: UInt64) throws {
    let count = 1000
    _ = try ProcessLimits.raiseDescriptorLimit()
    let server = Server()
    let listener = GCDAsyncSocket(
      delegate: server, delegateQueue: DispatchQueue(label: "server \(seed)"))
    try listener.accept(onInterface: "127.0.0.1", port: 0)
    let clients = Clients()
    let queue = DispatchQueue(label: "clients \(seed)")
    var sockets: [GCDAsyncSocket] = []
    var random = Seeded(seed)
    for _ in 0..<count {
      let socket = GCDAsyncSocket(delegate: clients, delegateQueue: queue)
      let talk = Talk(
        generator: Seeded(random.next()), linesLeft: Int.random(in: 1...8, using: &random))
      clients.talks.withLock { $0[socket.identifier] = talk }
      sockets.append(socket)
      try socket.connect(toHost: "127.0.0.1", onPort: listener.localPort, withTimeout: 60)
    }
    let all = clients.ended.wait(until: .now() + .seconds(120)) { $0 == count ? $0 : nil }
    #expect(all == count, "seed \(seed): \(clients.ended.withLock { $0 }) have ended")
    let failed = clients.talks.withLock { $0.values.count { $0.hasFailed } }
    #expect(failed == 0, "seed \(seed)")
    #expect(sockets.allSatisfy { $0.isDisconnected })
  }

  @Test func noDescriptorIsLeft() async {
    await #expect(processExitsWith: .success) {
      let growth = DescriptorGrowth()
      for _ in 0..<2 * DescriptorGrowth.many {
        let pair = try SocketPair()
        pair.client.write(Data("x".utf8), withTimeout: -1, tag: 1)
        pair.server.readData(withTimeout: -1, tag: 2)
        _ = try pair.recorder.read(pair.server, tag: 2)
        pair.client.disconnect()
        try pair.recorder.disconnected(pair.client)
        try pair.recorder.disconnected(pair.server)
        pair.listener.disconnect()
        try pair.recorder.disconnected(pair.listener)
        // One whose connection fails, and one that nobody holds.
        let refused = pair.recorder.socket()
        try refused.connect(toHost: "127.0.0.1", onPort: 9, withTimeout: 5)
        try pair.recorder.disconnected(refused)
      }
      precondition(growth.isAbout(0), "descriptors are left")
    }
  }
}
