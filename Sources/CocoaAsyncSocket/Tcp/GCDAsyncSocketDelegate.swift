public import Dispatch
public import Foundation
public import Security

/// What a ``GCDAsyncSocket`` tells its delegate, on the delegate's queue. Every method is optional.
public protocol GCDAsyncSocketDelegate: AnyObject {
  /// Asks for the queue of a connection that is accepted; see ``GCDAsyncSocket`` for what it means.
  func newSocketQueueForConnection(
    fromAddress address: Data, on sock: GCDAsyncSocket
  ) -> DispatchQueue?

  /// A connection was accepted. Who does not keep `newSocket` closes it.
  func socket(_ sock: GCDAsyncSocket, didAcceptNewSocket newSocket: GCDAsyncSocket)

  /// The connection stands; the host is an address in text.
  func socket(_ sock: GCDAsyncSocket, didConnectToHost host: String, port: UInt16)

  /// The connection to a unix socket stands.
  func socket(_ sock: GCDAsyncSocket, didConnectTo url: URL)

  /// A read is complete.
  func socket(_ sock: GCDAsyncSocket, didRead data: Data, withTag tag: Int)

  /// More of a read has come, which is not complete.
  func socket(_ sock: GCDAsyncSocket, didReadPartialDataOfLength partialLength: UInt, tag: Int)

  /// A write is complete: the system has all of it.
  func socket(_ sock: GCDAsyncSocket, didWriteDataWithTag tag: Int)

  /// More of a write is done, which is not complete.
  func socket(_ sock: GCDAsyncSocket, didWritePartialDataOfLength partialLength: UInt, tag: Int)

  /// The time of a read is over: returns the seconds that it gets in addition, or 0.
  func socket(
    _ sock: GCDAsyncSocket, shouldTimeoutReadWithTag tag: Int, elapsed: TimeInterval,
    bytesDone length: UInt
  ) -> TimeInterval

  /// The time of a write is over: returns the seconds that it gets in addition, or 0.
  func socket(
    _ sock: GCDAsyncSocket, shouldTimeoutWriteWithTag tag: Int, elapsed: TimeInterval,
    bytesDone length: UInt
  ) -> TimeInterval

  /// The peer has ended its stream, and ``GCDAsyncSocket/autoDisconnectOnClosedReadStream`` is off.
  func socketDidCloseReadStream(_ sock: GCDAsyncSocket)

  /// The socket is closed; nothing more is told of this connection.
  func socketDidDisconnect(_ sock: GCDAsyncSocket, withError err: (any Error)?)

  /// TLS is in force.
  func socketDidSecure(_ sock: GCDAsyncSocket)

  /// Asks whether to trust the peer, where TLS was started with
  /// `GCDAsyncSocketManuallyEvaluateTrust`. The handler may be called once, from any thread.
  func socket(
    _ sock: GCDAsyncSocket, didReceive trust: SecTrust,
    completionHandler: @escaping (Bool) -> Void)

  // What the original does not have.

  /// A read ended without its bytes and the connection goes on or was not there: its time was over
  /// and ``GCDAsyncSocket/disconnectsOnReadTimeout`` is off, it was asked for wrongly, or the
  /// socket is not connected.
  func socket(_ sock: GCDAsyncSocket, didFailReadWithTag tag: Int, error: any Error)

  /// A write was not begun: the socket is not connected.
  func socket(_ sock: GCDAsyncSocket, didFailWriteWithTag tag: Int, error: any Error)

  /// So many of the bytes that waited are written that fewer than half of
  /// ``GCDAsyncSocket/writeHighWaterMark`` are left, after there had been more than the mark.
  func socketDidDrain(_ sock: GCDAsyncSocket)
}

/// The methods that a delegate leaves out. (A method that only a subclass of the delegate's class
/// has is not called: the class itself must have it.)
extension GCDAsyncSocketDelegate {
  /// No queue of its own.
  public func newSocketQueueForConnection(
    fromAddress address: Data, on sock: GCDAsyncSocket
  ) -> DispatchQueue? { nil }

  /// Nothing is done: the new connection is closed.
  public func socket(_ sock: GCDAsyncSocket, didAcceptNewSocket newSocket: GCDAsyncSocket) {}

  /// Nothing is done.
  public func socket(_ sock: GCDAsyncSocket, didConnectToHost host: String, port: UInt16) {}

  /// Nothing is done.
  public func socket(_ sock: GCDAsyncSocket, didConnectTo url: URL) {}

  /// Nothing is done.
  public func socket(_ sock: GCDAsyncSocket, didRead data: Data, withTag tag: Int) {}

  /// Nothing is done.
  public func socket(
    _ sock: GCDAsyncSocket, didReadPartialDataOfLength partialLength: UInt, tag: Int
  ) {}

  /// Nothing is done.
  public func socket(_ sock: GCDAsyncSocket, didWriteDataWithTag tag: Int) {}

  /// Nothing is done.
  public func socket(
    _ sock: GCDAsyncSocket, didWritePartialDataOfLength partialLength: UInt, tag: Int
  ) {}

  /// The read is not given more time.
  public func socket(
    _ sock: GCDAsyncSocket, shouldTimeoutReadWithTag tag: Int, elapsed: TimeInterval,
    bytesDone length: UInt
  ) -> TimeInterval { 0 }

  /// The write is not given more time.
  public func socket(
    _ sock: GCDAsyncSocket, shouldTimeoutWriteWithTag tag: Int, elapsed: TimeInterval,
    bytesDone length: UInt
  ) -> TimeInterval { 0 }

  /// Nothing is done.
  public func socketDidCloseReadStream(_ sock: GCDAsyncSocket) {}

  /// Nothing is done.
  public func socketDidDisconnect(_ sock: GCDAsyncSocket, withError err: (any Error)?) {}

  /// Nothing is done.
  public func socketDidSecure(_ sock: GCDAsyncSocket) {}

  /// The peer is not trusted, and the connection closed with an error.
  public func socket(
    _ sock: GCDAsyncSocket, didReceive trust: SecTrust,
    completionHandler: @escaping (Bool) -> Void
  ) { completionHandler(false) }

  /// Nothing is done.
  public func socket(_ sock: GCDAsyncSocket, didFailReadWithTag tag: Int, error: any Error) {}

  /// Nothing is done.
  public func socket(_ sock: GCDAsyncSocket, didFailWriteWithTag tag: Int, error: any Error) {}

  /// Nothing is done.
  public func socketDidDrain(_ sock: GCDAsyncSocket) {}
}
