import CocoaAsyncSocket
import Foundation
import Kernel
import TestSupport
import Testing

@Suite("What cannot be used is refused with an error that names it")
struct BadInputTests {
  private func code(_ body: () throws -> Void) -> (Int, String)? {
    do {
      try body()
      return nil
    } catch {
      return ((error as NSError).code, error.localizedDescription)
    }
  }

  @Test func aSocketWithoutDelegateOrQueueCannotBegin() throws {
    let recorder = Recorder()
    let bad = GCDAsyncSocketError.badConfigError.rawValue
    let bare = GCDAsyncSocket()
    #expect(code { try bare.accept(onPort: 0) }?.0 == bad)
    bare.setDelegate(recorder, delegateQueue: nil)
    #expect(code { try bare.connect(toHost: "localhost", onPort: 1) }?.0 == bad)
    bare.setDelegate(recorder, delegateQueue: recorder.queue)
    try bare.accept(onPort: 0)
    #expect(code { try bare.accept(onPort: 0) }?.0 == bad)
    let neither = recorder.socket()
    neither.isIPv4Enabled = false
    neither.isIPv6Enabled = false
    #expect(code { try neither.accept(onPort: 0) }?.0 == bad)
    #expect(throws: GCDAsyncSocketError.self) { try neither.accept(onPort: 0) }
  }

  @Test func wrongArgumentsAreNamed() throws {
    let recorder = Recorder()
    let socket = recorder.socket()
    let bad = GCDAsyncSocketError.badParamError.rawValue
    let refusals = [
      ("nowhere0", code { try socket.accept(onInterface: "nowhere0", port: 0) }),
      (
        "nowhere1",
        code {
          try socket.connect(
            toHost: "127.0.0.1", onPort: 1, viaInterface: "nowhere1:80", withTimeout: -1)
        }
      ),
      ("host", code { try socket.connect(toHost: "", onPort: 80) }),
      ("3 bytes", code { try socket.connect(toAddress: Data([1, 2, 3])) }),
      (
        String(repeating: "x", count: 200),
        code {
          try socket.accept(
            on: URL(fileURLWithPath: "/tmp/" + String(repeating: "x", count: 200)))
        }
      ),
    ]
    for (part, refusal) in refusals {
      #expect(refusal?.0 == bad)
      #expect(refusal?.1.contains(part) == true, "\(String(describing: refusal))")
    }
    #expect(socket.isDisconnected)
  }

  @Test func aDescriptorThatIsNoConnectionStaysTheCallers() throws {
    let listening = try BlockingSocket.listening()
    let (first, second) = (Int32(-1), listening.number)
    for number in [first, second] {
      #expect(throws: (any Error).self) {
        try GCDAsyncSocket.socket(fromConnectedSocketFD: number, socketQueue: nil)
      }
    }
    let quiet = try Descriptor.quiet()
    let error = #expect(throws: (any Error).self) {
      try GCDAsyncSocket.socket(fromConnectedSocketFD: quiet.number, socketQueue: nil)
    }
    #expect((error as NSError?)?.code == Int(Errno.notASocket.rawValue))
    // Still open.
    #expect(try listening.address.port != nil)
    _ = try quiet.duplicate()
  }

  @Test func aPortThatIsTakenIsNamed() throws {
    let recorder = Recorder()
    let taken = recorder.socket()
    try taken.accept(onPort: 0)
    let port = taken.localPort
    let second = recorder.socket()
    let refusal = code { try second.accept(onPort: port) }
    #expect(refusal?.0 == Int(Errno.addressInUse.rawValue))
    #expect(refusal?.1.contains("\(port)") == true)
  }

  @Test func errorsKeepTheirDomainsAndCodes() {
    let error: any Error = GCDAsyncSocketError(.connectTimeoutError)
    #expect((error as NSError).domain == "GCDAsyncSocketErrorDomain")
    #expect((error as NSError).code == 3)
    #expect((error as? GCDAsyncSocketError)?.code == .connectTimeoutError)
    do {
      throw error
    } catch GCDAsyncSocketError.connectTimeoutError {
      // As code writes it.
    } catch {
      Issue.record("\(error)")
    }
    #expect(GCDAsyncSocketError.otherError.rawValue == 8)
  }
}
