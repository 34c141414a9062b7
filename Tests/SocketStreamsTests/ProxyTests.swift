import Foundation
import Kernel
import SocketStreams
import TestSupport
import Testing

/// SOCKS by a server that follows a script.
@Suite(.timeLimit(.minutes(2)))
struct ProxyTests {
  /// What the server waits for, and what it says then.
  private struct Step: Sendable {
    let expected: [UInt8]
    let answer: [UInt8]
  }

  private static func proxy(_ listener: BlockingSocket, _ steps: [Step]) -> Side<Bool> {
    Side {
      let peer = try listener.accept()
      for step in steps {
        guard peer.receive(step.expected.count) == step.expected else { return false }
        // In single bytes, the last together with what the host behind the proxy says.
        for byte in step.answer.dropLast() { try peer.send([byte]) }
        if step.answer.last != nil, steps.last?.answer != step.answer {
          try peer.send([step.answer[step.answer.count - 1]])
        }
      }
      guard let last = steps.last?.answer.last else { return false }
      try peer.send([last] + Array("host".utf8))
      let question = peer.receiveAll()
      return question.bytes == [0, 1] && question.end == .endOfStream
    }
  }

  private static func talk(
    through listener: BlockingSocket, to host: String, _ settings: [String: Any]
  ) throws -> (answer: [UInt8]?, error: NSError?) {
    let pair = StreamPair(host: host, port: 0x1234)
    var settings = settings
    settings[kCFStreamPropertySOCKSProxyHost as String] = "127.0.0.1"
    settings[kCFStreamPropertySOCKSProxyPort as String] = Int(try listener.address.port ?? 0)
    #expect(pair.output.setProperty(settings, forKey: .socksProxyConfigurationKey))
    pair.open()
    defer { pair.close() }
    guard pair.output.writeAll([0, 1]) else { return (nil, pair.output.streamError as NSError?) }
    return (pair.input.readOnce(), nil)
  }

  @Test func aNameGoesThroughSOCKS5() async throws {
    let listener = try BlockingSocket.listening()
    let host = Array("host.test".utf8)
    let proxy = ProxyTests.proxy(
      listener,
      [
        Step(expected: [5, 1, 0], answer: [5, 0]),
        Step(
          expected: [5, 1, 0, 3, UInt8(host.count)] + host + [0x12, 0x34],
          answer: [5, 0, 0, 1, 127, 0, 0, 1, 0, 80]),
      ])
    let answer = try await OwnThread.run {
      try ProxyTests.talk(through: listener, to: "host.test", [:]).answer
    }
    #expect(answer == Array("host".utf8))
    #expect(try await proxy.value)
  }

  @Test func anAddressAndAUserGoThroughSOCKS5() async throws {
    let listener = try BlockingSocket.listening()
    let proxy = ProxyTests.proxy(
      listener,
      [
        Step(expected: [5, 2, 0, 2], answer: [5, 2]),
        Step(expected: [1, 2] + Array("me".utf8) + [3] + Array("pwd".utf8), answer: [1, 0]),
        Step(
          expected: [5, 1, 0, 1, 192, 0, 2, 7, 0x12, 0x34],
          answer: [5, 0, 0, 3, 2, 97, 98, 0, 80]),
      ])
    let answer = try await OwnThread.run {
      try ProxyTests.talk(
        through: listener, to: "192.0.2.7",
        [
          kCFStreamPropertySOCKSUser as String: "me",
          kCFStreamPropertySOCKSPassword as String: "pwd",
        ]
      ).answer
    }
    #expect(answer == Array("host".utf8))
    #expect(try await proxy.value)
  }

  @Test func aNameGoesThroughSOCKS4() async throws {
    let listener = try BlockingSocket.listening()
    let proxy = ProxyTests.proxy(
      listener,
      [
        Step(
          expected: [4, 1, 0x12, 0x34, 0, 0, 0, 1, 0] + Array("host.test".utf8) + [0],
          answer: [0, 90, 0, 0, 0, 0, 0, 0])
      ])
    let answer = try await OwnThread.run {
      try ProxyTests.talk(
        through: listener, to: "host.test",
        [kCFStreamPropertySOCKSVersion as String: kCFStreamSocketSOCKSVersion4]
      ).answer
    }
    #expect(answer == Array("host".utf8))
    #expect(try await proxy.value)
  }

  @Test func aProxyThatRefusesIsAnError() async throws {
    for (answer, code) in [([5, 0, 5, 5, 0, 1], 5), ([5, 255], 122), ([72, 84], 110)] {
      let listener = try BlockingSocket.listening()
      let refusing = Side {
        let peer = try listener.accept()
        _ = peer.receive(3)
        try peer.send(answer.prefix(2).map { UInt8($0) })
        _ = answer.count > 2 ? peer.receive(10) : []
        try peer.send(answer.dropFirst(2).map { UInt8($0) })
        _ = peer.receiveAll()
      }
      let error = try await OwnThread.run { () -> Int? in
        let error = try ProxyTests.talk(through: listener, to: "192.0.2.7", [:]).error
        return error?.domain == NSStreamSOCKSErrorDomain ? error?.code : nil
      }
      #expect(error == code)
      _ = try? await refusing.value
    }
  }

  @Test func aProxyThatIsNoneIsRefused() {
    let pair = StreamPair(host: "127.0.0.1", port: 1)
    let key = kCFStreamPropertySOCKSProxy as Stream.PropertyKey
    #expect(!pair.input.setProperty(["SOCKSPort": 1], forKey: key))
    #expect(
      !pair.input.setProperty(
        ["SOCKSProxy": "a", "kCFStreamPropertySOCKSVersion": "6"], forKey: key))
    #expect(pair.input.setProperty(["SOCKSProxy": "a"], forKey: key))
    #expect(pair.input.setProperty(nil, forKey: key))
  }
}
