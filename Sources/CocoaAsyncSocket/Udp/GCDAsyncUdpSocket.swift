public import Dispatch
public import Foundation
internal import Kernel
internal import Reactor
internal import Sockets

/// Tells whether a datagram is let through: its bytes, its sender's address, and a place for
/// something that the delegate is to get with it.
public typealias GCDAsyncUdpSocketReceiveFilterBlock = (
  _ data: Data, _ address: Data, _ context: AutoreleasingUnsafeMutablePointer<AnyObject?>
) -> Bool

/// Tells whether a datagram is sent: its bytes, its receiver's address and its tag.
public typealias GCDAsyncUdpSocketSendFilterBlock = (
  _ data: Data, _ address: Data, _ tag: Int
) -> Bool

/// A socket for datagrams of both families that tells a delegate on a dispatch queue what happens.
///
/// It may be used from any thread. What belongs to it lives on an event loop, which is the guard of
/// the `@unchecked Sendable`; the delegate is called on its queue only.
open class GCDAsyncUdpSocket: NSObject, @unchecked Sendable {
  private static let lastIdentifier = Lock<UInt64>(0)

  /// A number that no other socket of this process has; it only grows.
  public let identifier: UInt64
  /// Nil when the process has no room for the event loops; then every operation says so.
  private let knownCore: UdpCore?

  /// Makes a socket. The queue for the socket's own work is not needed here and not used.
  public init(
    delegate: (any GCDAsyncUdpSocketDelegate)?, delegateQueue: DispatchQueue?,
    socketQueue: DispatchQueue?
  ) {
    identifier = GCDAsyncUdpSocket.lastIdentifier.withLock { last in
      last += 1
      return last
    }
    knownCore = try? UdpCore()
    super.init()
    knownCore?.socket = self
    knownCore?.delegate = delegate
    knownCore?.delegateQueue = delegateQueue
  }

  /// Makes a socket without a delegate.
  public override convenience init() {
    self.init(delegate: nil, delegateQueue: nil, socketQueue: nil)
  }

  /// Makes a socket without a delegate.
  public convenience init(socketQueue: DispatchQueue?) {
    self.init(delegate: nil, delegateQueue: nil, socketQueue: socketQueue)
  }

  /// Makes a socket that tells `delegate`, which it does not keep, on `delegateQueue`.
  public convenience init(
    delegate: (any GCDAsyncUdpSocketDelegate)?, delegateQueue: DispatchQueue?
  ) {
    self.init(delegate: delegate, delegateQueue: delegateQueue, socketQueue: nil)
  }

  deinit {
    guard let core = knownCore else { return }
    core.loop.post { core.close(nil) }
  }

  // MARK: The way to the loop

  /// Calls `body` on the loop and waits for it.
  func sync<Value>(_ absent: Value, _ body: (UdpCore) -> Value) -> Value {
    guard let core = knownCore else { return absent }
    return core.loop.sync { body(core) }
  }

  /// Calls `body` on the loop and waits for it.
  func syncThrowing(_ body: (UdpCore) throws -> Void) throws {
    guard let core = knownCore else {
      throw GCDAsyncUdpSocketError(.otherError, "the event loops could not be started")
    }
    try core.loop.sync { try body(core) }
  }

  /// Calls `body` on the loop, at once when it is called there, else soon. The socket lives on
  /// until then.
  func async(_ body: @escaping @Sendable (UdpCore) -> Void) {
    guard let core = knownCore else { return }
    guard !core.loop.isCurrent else { return body(core) }
    core.loop.post { withExtendedLifetime(self) { body(core) } }
  }

  // MARK: Delegate

  /// Who is told what happens.
  public func delegate() -> (any GCDAsyncUdpSocketDelegate)? { sync(nil) { $0.delegate } }

  /// Tells another delegate from now on.
  public func setDelegate(_ delegate: (any GCDAsyncUdpSocketDelegate)?) {
    synchronouslySetDelegate(delegate)
  }

  /// Tells another delegate from now on.
  public func synchronouslySetDelegate(_ delegate: (any GCDAsyncUdpSocketDelegate)?) {
    sync(()) { $0.delegate = delegate }
  }

  /// The queue that the delegate is called on.
  public func delegateQueue() -> DispatchQueue? { sync(nil) { $0.delegateQueue } }

  /// Calls the delegate on another queue from now on.
  public func setDelegateQueue(_ delegateQueue: DispatchQueue?) {
    synchronouslySetDelegateQueue(delegateQueue)
  }

  /// Calls the delegate on another queue from now on.
  public func synchronouslySetDelegateQueue(_ delegateQueue: DispatchQueue?) {
    sync(()) { $0.delegateQueue = delegateQueue }
  }

  /// Tells another delegate on another queue from now on.
  public func setDelegate(
    _ delegate: (any GCDAsyncUdpSocketDelegate)?, delegateQueue: DispatchQueue?
  ) {
    synchronouslySetDelegate(delegate, delegateQueue: delegateQueue)
  }

  /// Tells another delegate on another queue from now on.
  public func synchronouslySetDelegate(
    _ delegate: (any GCDAsyncUdpSocketDelegate)?, delegateQueue: DispatchQueue?
  ) {
    sync(()) { core in
      core.delegate = delegate
      core.delegateQueue = delegateQueue
    }
  }

  // MARK: Advanced

  /// Not needed: nothing here waits for the socket's queue from a queue that it targets.
  public func markSocketQueueTargetQueue(_ socketQueuesPreConfiguredTargetQueue: DispatchQueue) {}

  /// Not needed, as marking is not.
  public func unmarkSocketQueueTargetQueue(
    _ socketQueuesPreviouslyConfiguredTargetQueue: DispatchQueue
  ) {}

  /// Calls a block where the socket's work is done, and waits for it. Other sockets wait too: the
  /// block must be short.
  public func perform(_ block: () -> Void) {
    sync(()) { _ in block() }
  }

  /// The descriptor, IPv4's where there are two; -1 outside `perform` and for a closed socket.
  public func socketFD() -> Int32 {
    let descriptor4 = socket4FD()
    return descriptor4 >= 0 ? descriptor4 : socket6FD()
  }

  /// The descriptor of IPv4; -1 outside `perform` and where there is none.
  public func socket4FD() -> Int32 { descriptor { $0.channel4 } }

  /// The descriptor of IPv6; -1 outside `perform` and where there is none.
  public func socket6FD() -> Int32 { descriptor { $0.channel6 } }

  private func descriptor(_ channel: (UdpCore) -> DatagramChannel?) -> Int32 {
    guard let core = knownCore, core.loop.isCurrent, let channel = channel(core) else { return -1 }
    return (try? channel.withSocket { (socket) throws(Errno) in socket.number }) ?? -1
  }
}
