import DarwinClients
import Foundation
import FoundationOnlyClients
import Kernel
import TestSupport
import Testing

/// Clients in the shape that people write, against a plain server.
@Suite(.timeLimit(.minutes(2)))
struct ChatTests {
  private final class Listener: ChatClientDelegate {
    var text = ""
    func received(message: String) { text += message }
  }

  @Test func aTutorialsChatClientTalksToAServerInARunLoop() async throws {
    let server = try BlockingSocket.listening()
    let port = UInt32(try #require(try server.address.port))
    try await OwnThread.run {
      let client = ChatClient()
      let listener = Listener()
      client.delegate = listener
      client.setupNetworkCommunication(port: port)
      client.joinChat(username: "ada")
      let peer = try server.accept()
      #expect(String(decoding: peer.receive(7), as: UTF8.self) == "iam:ada")
      try peer.send("welcome\0")
      OwnThread.runLoop { listener.text == "welcome\0" }
      client.send(message: "hello")
      #expect(String(decoding: peer.receive(9), as: UTF8.self) == "msg:hello")
      try peer.send("bye")
      try peer.endStream()
      OwnThread.runLoop { client.isOver }
      #expect(listener.text == "welcome\0bye")
      #expect(peer.receiveAll().end == .endOfStream)
      #expect(client.inputStream.streamStatus == .closed)
    }
  }

  @Test func aSourceThatImportsNothingButFoundationWorksWithTheFlag() async throws {
    let server = try BlockingSocket.listening()
    let port = Int(try #require(try server.address.port))
    let asked = Side {
      let peer = try server.accept()
      let question = peer.receiveAll()
      try peer.send(Array(question.bytes.reversed()))
      try peer.endStream()
      return question.end
    }
    try await OwnThread.run {
      let client = PlainClient()
      client.ask("abc", host: "127.0.0.1", port: port)
      #expect(client.isOver)
      #expect(String(decoding: client.answer, as: UTF8.self) == "cba")
    }
    #expect(try await asked.value == .endOfStream)
  }
}
