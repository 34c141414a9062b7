import CFNetwork
import DarwinClients
import Foundation
import Kernel
import TestSupport
import Testing

@testable import SocketStreams

/// Pairs of other kinds, properties, and what cannot be used.
@Suite(.timeLimit(.minutes(2)))
struct PairTests {
  private static func bound(_ size: Int) -> (InputStream, OutputStream)? {
    var input: InputStream?
    var output: OutputStream?
    Stream.getBoundStreams(withBufferSize: size, inputStream: &input, outputStream: &output)
    guard let input, let output else { return nil }
    return (input, output)
  }

  @Test func aBoundPairCarriesBytesBetweenTwoThreads() async throws {
    try await OwnThread.run {
      let (input, output) = try #require(PairTests.bound(1000))
      input.open()
      output.open()
      let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0) }
      // Guard of the `nonisolated(unsafe)`: streams may be used from two threads.
      nonisolated(unsafe) let writer = output
      let thread = Thread {
        _ = unsafe writer.writeAll(bytes)
        unsafe writer.close()
      }
      thread.start()
      #expect(input.readAll() == bytes)
      #expect(input.streamStatus == .atEnd)
    }
  }

  @Test func aBoundPairTellsEventsInARunLoop() async throws {
    try await OwnThread.run {
      let (input, output) = try #require(PairTests.bound(4))
      let recorder = Recorder(StreamPair(input: input, output: output))
      recorder.react = { stream, event in
        if event == .hasBytesAvailable { _ = (stream as? InputStream)?.readOnce(2) }
      }
      input.schedule(in: .current, forMode: .default)
      output.schedule(in: .current, forMode: .default)
      input.open()
      output.open()
      #expect(output.writeAll([1, 2, 3]))
      output.close()
      #expect(OwnThread.runLoop { recorder.heard(.endEncountered, \.input) })
      #expect(
        recorder.input
          == [.openCompleted, .hasBytesAvailable, .hasBytesAvailable, .endEncountered])
      #expect(recorder.output.isEmpty)
    }
  }

  @Test func theSocketOfACallerStaysItsOwnUnlessItSaysOtherwise() async throws {
    let listener = try BlockingSocket.listening()
    try await OwnThread.run {
      for closes in [false, true] {
        let near = try BlockingSocket.connected(to: try listener.address)
        let far = try listener.accept()
        let idioms = Idioms()
        var read: Unmanaged<CFReadStream>?
        var write: Unmanaged<CFWriteStream>?
        let handle = dup(near.number)
        if closes {
          idioms.native(handle)
        } else {
          unsafe CFStreamCreatePairWithSocket(nil, handle, &read, &write)
          idioms.inputStream = unsafe read?.takeRetainedValue()
          idioms.outputStream = unsafe write?.takeRetainedValue()
        }
        let pair = StreamPair(
          input: try #require(idioms.inputStream), output: try #require(idioms.outputStream))
        pair.open()
        try far.send("a")
        #expect(pair.input.readOnce() == Array("a".utf8))
        #expect(pair.output.writeAll(Array("b".utf8)))
        #expect(far.receive(1) == Array("b".utf8))
        let watch = DescriptorWatch(pair)
        pair.close()
        if closes {
          // The peer sees the end although the test has a descriptor of its own.
          #expect(far.receiveAll().end == .endOfStream)
        } else {
          watch.waitUntilClosed()
          try near.send("c")
          #expect(far.receive(1) == Array("c".utf8))
          #expect(fcntl(handle, F_GETFD) >= 0)
          Glibc.close(handle)
        }
      }
    }
  }

  @Test func aSocketThatIsNotToBeClosedIsLeftToTheCaller() async throws {
    let server = try BlockingSocket.listening()
    try await OwnThread.run {
      let pair = try StreamPair(to: server)
      #expect(
        pair.input.setProperty(
          kCFBooleanFalse,
          forKey: kCFStreamPropertyShouldCloseNativeSocket as Stream.PropertyKey))
      pair.open()
      let peer = try server.accept()
      #expect(pair.output.writeAll([1]))
      let handle = try #require(Idioms().handle(of: pair.output))
      let watch = DescriptorWatch(pair)
      pair.close()
      watch.waitUntilClosed()
      var byte: UInt8 = 2
      #expect(unsafe send(handle, &byte, 1, 0) == 1)
      #expect(peer.receive(2) == [1, 2])
      Glibc.close(handle)
      #expect(peer.receiveAll().end == .endOfStream)
    }
  }

  @Test func aStreamKnowsItsSocketAndItsHost() async throws {
    let server = try BlockingSocket.listening()
    try await OwnThread.run {
      let pair = try StreamPair(to: server)
      #expect(pair.input.property(forKey: .socketNativeHandle) == nil)
      #expect(
        pair.output.setProperty(
          StreamNetworkServiceTypeValue.voice, forKey: .networkServiceType))
      pair.open()
      let peer = try server.accept()
      pair.waitUntilOpen()
      let handle = try #require(Idioms().handle(of: pair.input))
      var value: Int32 = 0
      var length = socklen_t(4)
      #expect(unsafe getsockopt(handle, Int32(IPPROTO_IP), IP_TOS, &value, &length) == 0)
      #expect(value == 46 << 2)
      let name = pair.input.property(forKey: .socketRemoteHostName)
      #expect(name as? String == "127.0.0.1")
      let port = pair.input.property(forKey: .socketRemotePortNumber) as? NSNumber
      #expect(port?.intValue == Int(try server.address.port ?? 0))
      try peer.endStream()
      pair.close()
    }
  }

  @Test func oneDirectionAloneIsEnough() async throws {
    let server = try BlockingSocket.listening()
    let port = try server.address.port ?? 0
    try await OwnThread.run {
      let idioms = Idioms()
      idioms.outputOnly(host: "localhost", port: UInt32(port))
      let output = try #require(idioms.outputStream)
      output.open()
      let peer = try server.accept()
      #expect(output.writeAll([0]))
      #expect(peer.receive(1) == [0])
      output.close()
      #expect(peer.receiveAll().end == .endOfStream)
      let input = try #require(idioms.inputStream)
      input.open()
      let other = try server.accept()
      try other.send([5])
      #expect(input.readOnce() == [5])
      // Nobody wanted to write, which is no end of the stream.
      #expect(!other.hasInput())
      input.close()
      #expect(other.receiveAll().end == .endOfStream)
    }
  }

  @Test func aClientFunctionHearsWhatItAskedFor() async throws {
    let server = try BlockingSocket.listening()
    try await OwnThread.run {
      let pair = try StreamPair(to: server)
      let idioms = Idioms()
      #expect(idioms.coreFoundation(pair.input))
      let peer = try server.accept()
      try peer.send("x")
      #expect(OwnThread.runLoop { idioms.clientEvents.count == 2 })
      #expect(idioms.clientEvents == [.openCompleted, .hasBytesAvailable])
      CFReadStreamClose(pair.input)
      #expect(CFReadStreamGetStatus(pair.input) == .closed)
    }
  }

  @Test func everyFormOfTheSettingsIsTaken() throws {
    let pair = StreamPair(host: "example.org", port: 443)
    let idioms = Idioms()
    idioms.levels(pair.input)
    idioms.settings(pair.input, host: "example.org", isSelfSigned: true)
    idioms.proxy(pair.input, host: "proxy.test", port: 1080)
    let stream = try #require(pair.output as? any SocketStream)
    let settings = stream.link.look(\.settings)
    #expect(settings.security?.peerName == .named("example.org"))
    #expect(settings.security?.validatesChain == false)
    #expect(settings.proxy?.host == "proxy.test")
    #expect(settings.serviceType == .voice)
    idioms.webSocketLibrary(try #require(URL(string: "wss://example.org")), port: 443)
    #expect(idioms.securityData().0 == nil)
    #expect(idioms.securityData().1 == "example.org")
  }

  @Test(arguments: [
    ("", 80), ("localhost", 0), ("localhost", -1), ("localhost", 65_536), ("a\0b", 1),
  ])
  func whatCannotBeConnectedToIsAnError(host: String, port: Int) async throws {
    try await OwnThread.run {
      let pair = StreamPair(host: host, port: port)
      let recorder = Recorder(pair)
      pair.schedule()
      pair.open()
      #expect(OwnThread.runLoop { recorder.heard(.errorOccurred, \.input) })
      let error = try #require(pair.input.streamError as NSError?)
      #expect(error.code == Int(EINVAL))
      #expect(!error.localizedDescription.isEmpty)
      pair.close()
    }
  }

  @Test func aHandleThatIsNoConnectionIsAnError() async throws {
    try await OwnThread.run {
      for handle in [-1, 1_000_000, STDIN_FILENO] as [Int32] {
        var read: Unmanaged<CFReadStream>?
        var write: Unmanaged<CFWriteStream>?
        unsafe CFStreamCreatePairWithSocket(nil, handle, &read, &write)
        let input = try #require(unsafe read?.takeRetainedValue())
        _ = unsafe write?.takeRetainedValue()
        input.open()
        #expect(input.readOnce() == nil)
        #expect(input.streamStatus == .error)
      }
    }
  }

  @Test func callsOutOfPlaceAreRefused() {
    let pair = StreamPair(host: "localhost", port: 1)
    #expect(pair.input.readOnce() == nil)
    #expect(!pair.output.writeAll([1]))
    #expect(pair.input.streamError == nil)
    pair.close()
    pair.open()
    #expect(pair.input.streamStatus == .closed)
    pair.close()
    pair.input.remove(from: .current, forMode: .default)
    let read = CFReadStreamRead(nil, nil, 5)
    let written = CFWriteStreamWrite(nil, nil, 5)
    #expect(read == -1 && written == -1)
    #expect(!CFReadStreamOpen(nil))
  }
}
