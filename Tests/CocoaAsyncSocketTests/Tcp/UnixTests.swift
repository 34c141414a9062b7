import CocoaAsyncSocket
import Foundation
import Glibc
import Kernel
import TestSupport
import Testing

@Suite("Unix sockets of a delegate's socket")
struct UnixTests {
  @Test func aConnectionIsMadeAtAPathAndTheFileGoesWithTheListener() throws {
    let folder = try TemporaryFolder()
    let url = URL(fileURLWithPath: folder.file("s"))
    let recorder = Recorder()
    let listener = recorder.socket()
    try listener.accept(on: url)
    let client = recorder.socket()
    try client.connect(to: url, withTimeout: 20)
    let connected = try recorder.next("the connection", of: client) {
      if case .connectedTo(let url) = $0 { url } else { nil }
    }
    #expect(connected.path == url.path)
    #expect(client.connectedUrl?.path == url.path)
    let server = try recorder.accepted()
    #expect(server.isConnected && !server.isIPv4 && !server.isIPv6)
    #expect(server.connectedHost == nil)
    listener.disconnect()
    try recorder.disconnected(listener)
    #expect(!FileManager.default.fileExists(atPath: url.path))
  }

  @Test func bytesGoBothWays() throws {
    let folder = try TemporaryFolder()
    let url = URL(fileURLWithPath: folder.file("s"))
    let recorder = Recorder()
    let listener = recorder.socket()
    try listener.accept(on: url)
    let client = recorder.socket()
    try client.connect(to: url, withTimeout: -1)
    let server = try recorder.accepted()
    let sent = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 >> 3) })
    client.write(sent, withTimeout: -1, tag: 1)
    server.readData(toLength: UInt(sent.count), withTimeout: -1, tag: 2)
    #expect(try recorder.read(server, tag: 2) == sent)
    server.write(sent, withTimeout: -1, tag: 3)
    server.disconnectAfterWriting()
    client.readData(toLength: UInt(sent.count), withTimeout: -1, tag: 4)
    #expect(try recorder.read(client, tag: 4) == sent)
    try recorder.disconnected(client)
  }

  @Test func aFileInTheWayIsLeftAloneAndNamed() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("precious", to: "file")
    let recorder = Recorder()
    let error = #expect(throws: (any Error).self) {
      try recorder.socket().accept(on: URL(fileURLWithPath: path))
    }
    #expect(error?.localizedDescription.contains(path) == true)
    #expect(FileManager.default.contents(atPath: path) == Data("precious".utf8))
  }

  @Test func nobodyAtAPathIsAnError() throws {
    let folder = try TemporaryFolder()
    let recorder = Recorder()
    let client = recorder.socket()
    try client.connect(to: URL(fileURLWithPath: folder.file("none")), withTimeout: -1)
    let error = try #require(try recorder.disconnected(client))
    #expect(error.code == Int(Errno.noSuchFile.rawValue))
  }

  @Test func aSocketPairIsAdopted() throws {
    var ends: [Int32] = [-1, -1]
    let failure = unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
    try #require(failure == 0)
    let recorder = Recorder()
    let one = try GCDAsyncSocket.socket(
      fromConnectedSocketFD: ends[0], delegate: recorder, delegateQueue: recorder.queue)
    let other = try GCDAsyncSocket.socket(
      fromConnectedSocketFD: ends[1], delegate: recorder, delegateQueue: recorder.queue)
    one.write(Data("pair\n".utf8), withTimeout: -1, tag: 1)
    other.readData(to: GCDAsyncSocket.lfData(), withTimeout: -1, tag: 2)
    #expect(try recorder.text(other, tag: 2) == "pair\n")
    one.disconnect()
    try recorder.disconnected(other)
  }
}
