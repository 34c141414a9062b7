// Written as people write for iOS, which the house does not.
// swift-format-ignore-file

import CocoaAsyncSocket
import Foundation

/// Has the delegate methods that its subclasses override.
open class BaseClient: NSObject, GCDAsyncSocketDelegate {
  open func socket(_ sock: GCDAsyncSocket, didConnectToHost host: String, port: UInt16) {}
  open func socket(_ sock: GCDAsyncSocket, didRead data: Data, withTag tag: Int) {}
  open func socketDidDisconnect(_ sock: GCDAsyncSocket, withError err: Error?) {}
}

/// Says hello and hears one line, as a subclass of the class that conforms.
public class LineClient: BaseClient {
  private var socket: GCDAsyncSocket!
  private let heard: (String) -> Void
  private let ended: (NSError?) -> Void

  public init(heard: @escaping (String) -> Void, ended: @escaping (NSError?) -> Void) {
    self.heard = heard
    self.ended = ended
  }

  public func connect(port: UInt16) {
    socket = GCDAsyncSocket(delegate: self, delegateQueue: DispatchQueue(label: "line-client"))
    do {
      try socket.connect(toHost: "127.0.0.1", onPort: port)
    } catch let error as NSError {
      ended(error)
    }
  }

  override public func socket(
    _ sock: GCDAsyncSocket, didConnectToHost host: String, port: UInt16
  ) {
    sock.write("hello\r\n".data(using: String.Encoding.utf8)!, withTimeout: -1, tag: 0)
    sock.readData(to: GCDAsyncSocket.crlfData(), withTimeout: TimeInterval(10), tag: 1)
  }

  override public func socket(_ sock: GCDAsyncSocket, didRead data: Data, withTag tag: Int) {
    heard(NSString(data: data, encoding: String.Encoding.utf8.rawValue)! as String)
    sock.perform { _ = sock.enableBackgroundingOnSocket() }
    sock.disconnectAfterReadingAndWriting()
  }

  override public func socketDidDisconnect(_ sock: GCDAsyncSocket, withError err: Error?) {
    if let error = err as? GCDAsyncSocketError, error.code == .closedError { return ended(nil) }
    ended(err as NSError?)
  }
}

/// TLS settings in the forms that people write.
public enum WrittenSettings {
  public static func all(host: String) -> [[String: NSObject]] {
    [
      [GCDAsyncSocketManuallyEvaluateTrust as String: NSNumber(value: true)],
      [String(kCFStreamSSLPeerName): NSString(string: host)],
      [
        "GCDAsyncSocketManuallyEvaluateTrust": NSNumber(value: true),
        "GCDAsyncSocketSSLPeerName": host as NSString,
      ],
      [
        GCDAsyncSocketManuallyEvaluateTrust: NSNumber(booleanLiteral: true),
        GCDAsyncSocketUseCFStreamForTLS: NSNumber(booleanLiteral: false),
        kCFStreamSSLPeerName as String: host as NSString,
        GCDAsyncSocketSSLProtocolVersionMin: NSNumber(
          integerLiteral: Int(SSLProtocol.tlsProtocol1.rawValue)),
        GCDAsyncSocketSSLProtocolVersionMax: NSNumber(
          integerLiteral: Int(SSLProtocol.tlsProtocol12.rawValue)),
      ],
    ]
  }
}
