import CocoaAsyncSocket
import Glibc

/// A chat server by lines: what one client says, all others hear. Prints its port.
final class Chat: NSObject, GCDAsyncSocketDelegate {
  private static let longestLine: UInt = 4096
  private var members: [GCDAsyncSocket] = []

  func socket(_ sock: GCDAsyncSocket, didAcceptNewSocket member: GCDAsyncSocket) {
    members.append(member)
    member.write(Data("Welcome, you are number \(members.count).\n".utf8), withTimeout: -1, tag: 0)
    listen(to: member)
  }

  func socket(_ sock: GCDAsyncSocket, didRead line: Data, withTag tag: Int) {
    for member in members where member !== sock {
      member.write(line, withTimeout: 30, tag: 0)
    }
    listen(to: sock)
  }

  func socketDidDisconnect(_ sock: GCDAsyncSocket, withError error: Error?) {
    members.removeAll { $0 === sock }
  }

  private func listen(to member: GCDAsyncSocket) {
    member.readData(
      to: GCDAsyncSocket.lfData(), withTimeout: -1, maxLength: Chat.longestLine, tag: 0)
  }
}

@main enum Main {
  static func main() throws {
    let chat = Chat()
    let listener = GCDAsyncSocket(delegate: chat, delegateQueue: .main)
    try listener.accept(onInterface: "localhost", port: 0)
    print(listener.localPort)
    fflush(nil)
    withExtendedLifetime((chat, listener)) { dispatchMain() }
  }
}
