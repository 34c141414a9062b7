// long: methods of an open class that its subclasses override stand in its own body.
public import Dispatch
public import Foundation
internal import Kernel

/// A TCP or unix socket that calls a delegate: listening, or a connection.
///
/// ```swift
/// let socket = GCDAsyncSocket(delegate: self, delegateQueue: .main)
/// try socket.connect(toHost: "example.org", onPort: 80)
/// socket.write(request, withTimeout: 10, tag: 0)
/// socket.readData(to: GCDAsyncSocket.crlfData(), withTimeout: 10, tag: 1)
/// ```
///
/// Everything may be called on any thread. Reads and writes are queued, each direction in its
/// order; what the delegate hears comes on its queue. The socket itself works on an event loop
/// that many sockets share, so that the queues that the original takes for this purpose
/// (`socketQueue`) run nothing here but are kept for whoever asks. Two sockets are equal when they
/// have the same ``identifier``. See <doc:Differences> for where this class differs from the
/// original on purpose.
///
/// Guard of the `@unchecked`: a lock around the state that threads share, and the loop around the
/// rest.
open class GCDAsyncSocket: NSObject, @unchecked Sendable {
  let state: Lock<SocketState>
  private static let lastIdentifier = GrowingNumber()
  private static let lastOperation = GrowingNumber()

  /// A number that no other socket of the process has, and that only grows.
  public let identifier = GCDAsyncSocket.lastIdentifier.next()
  /// The queue that was given for the socket's own work; see the class.
  let socketQueue: DispatchQueue?

  // MARK: Making

  /// Makes a socket; it needs a delegate and a queue before it can be used.
  public convenience override init() {
    self.init(delegate: nil, delegateQueue: nil, socketQueue: nil)
  }

  /// Makes a socket; it needs a delegate and a queue before it can be used.
  public convenience init(socketQueue sq: DispatchQueue?) {
    self.init(delegate: nil, delegateQueue: nil, socketQueue: sq)
  }

  /// Makes a socket that calls a delegate on a queue.
  public convenience init(
    delegate aDelegate: (any GCDAsyncSocketDelegate)?, delegateQueue dq: DispatchQueue?
  ) {
    self.init(delegate: aDelegate, delegateQueue: dq, socketQueue: nil)
  }

  /// Makes a socket that calls a delegate on a queue.
  public required init(
    delegate aDelegate: (any GCDAsyncSocketDelegate)?, delegateQueue dq: DispatchQueue?,
    socketQueue sq: DispatchQueue?
  ) {
    state = Lock(SocketState(delegate: aDelegate, callbacks: dq.map { CallbackQueue.of($0) }))
    socketQueue = sq
    super.init()
  }

  deinit { abandon() }

  /// Takes a connected socket over, of any kind of stream; on failure it stays the caller's.
  open class func socket(
    fromConnectedSocketFD socketFD: Int32, socketQueue sq: DispatchQueue?
  ) throws -> Self {
    try socket(fromConnectedSocketFD: socketFD, delegate: nil, delegateQueue: nil, socketQueue: sq)
  }

  /// Takes a connected socket over, of any kind of stream; on failure it stays the caller's.
  open class func socket(
    fromConnectedSocketFD socketFD: Int32, delegate aDelegate: (any GCDAsyncSocketDelegate)?,
    delegateQueue dq: DispatchQueue?
  ) throws -> Self {
    try socket(
      fromConnectedSocketFD: socketFD, delegate: aDelegate, delegateQueue: dq, socketQueue: nil)
  }

  /// Takes a connected socket over, of any kind of stream; on failure it stays the caller's.
  open class func socket(
    fromConnectedSocketFD socketFD: Int32, delegate aDelegate: (any GCDAsyncSocketDelegate)?,
    delegateQueue dq: DispatchQueue?, socketQueue sq: DispatchQueue?
  ) throws -> Self {
    let made = Self(delegate: aDelegate, delegateQueue: dq, socketQueue: sq)
    try made.adopt(socketFD)
    return made
  }

  // MARK: Configuration

  /// Whom to call.
  open var delegate: (any GCDAsyncSocketDelegate)? {
    get { state.withLock { $0.delegate } }
    set { state.withLock { $0.delegate = newValue } }
  }

  /// Where to call the delegate.
  open var delegateQueue: DispatchQueue? {
    get { state.withLock { $0.callbacks?.queue } }
    set {
      let callbacks = newValue.map { CallbackQueue.of($0) }
      state.withLock { $0.callbacks = callbacks }
    }
  }

  /// Sets the delegate and its queue at once.
  open func setDelegate(
    _ delegate: (any GCDAsyncSocketDelegate)?, delegateQueue: DispatchQueue?
  ) {
    self.delegate = delegate
    self.delegateQueue = delegateQueue
  }

  /// Sets the delegate.
  open func synchronouslySetDelegate(_ delegate: (any GCDAsyncSocketDelegate)?) {
    self.delegate = delegate
  }

  /// Sets the delegate's queue.
  open func synchronouslySetDelegateQueue(_ delegateQueue: DispatchQueue?) {
    self.delegateQueue = delegateQueue
  }

  /// Sets the delegate and its queue at once.
  open func synchronouslySetDelegate(
    _ delegate: (any GCDAsyncSocketDelegate)?, delegateQueue: DispatchQueue?
  ) {
    setDelegate(delegate, delegateQueue: delegateQueue)
  }

  /// Whether IPv4 is used.
  open var isIPv4Enabled: Bool {
    get { options.usesIPv4 }
    set { state.withLock { $0.options.usesIPv4 = newValue } }
  }

  /// Whether IPv6 is used.
  open var isIPv6Enabled: Bool {
    get { options.usesIPv6 }
    set { state.withLock { $0.options.usesIPv6 = newValue } }
  }

  /// Whether IPv4 goes first where a host has addresses of both families.
  open var isIPv4PreferredOverIPv6: Bool {
    get { options.prefersIPv4 }
    set { state.withLock { $0.options.prefersIPv4 = newValue } }
  }

  /// The seconds between two attempts to connect, to a host that has several addresses.
  open var alternateAddressDelay: TimeInterval {
    get { options.alternateAddressDelay }
    set { state.withLock { $0.options.alternateAddressDelay = newValue } }
  }

  /// Whatever the socket's owner wants to find with it again.
  open var userData: Any? {
    get { state.withLock { $0.userData } }
    set { state.withLock { $0.userData = newValue } }
  }

  /// Whether the connection is closed when the peer ends its stream.
  open var autoDisconnectOnClosedReadStream: Bool {
    get { options.disconnectsOnEndOfStream }
    set { state.withLock { $0.options.disconnectsOnEndOfStream = newValue } }
  }

  /// Whether the connection is closed when a read is not complete in time. When it is off, the read
  /// alone fails, and what came of it is there for the next. The original always closes.
  open var disconnectsOnReadTimeout: Bool {
    get { options.disconnectsOnReadTimeout }
    set { state.withLock { $0.options.disconnectsOnReadTimeout = newValue } }
  }

  /// Bytes that may wait to be written before ``isAboveWriteHighWaterMark``. Nothing is refused
  /// above it. The original has no such thing.
  open var writeHighWaterMark: Int {
    get { options.highWaterMark }
    set { state.withLock { $0.options.highWaterMark = max(0, newValue) } }
  }

  // MARK: Accepting

  /// Listens on a port of every interface, 0 for a free one.
  open func accept(onPort port: UInt16) throws {
    try accept(onInterface: nil, port: port)
  }

  /// Listens on a port of an interface: its name, one of its addresses, or `localhost`.
  open func accept(onInterface interface: String?, port: UInt16) throws {
    try listen(onInterface: interface, port: port)
  }

  /// Listens at a path, as a unix socket. Its file is removed when the socket is closed.
  open func accept(on url: URL) throws { try listen(at: url) }

  // MARK: Connecting

  /// Begins to connect to a host.
  open func connect(toHost host: String, onPort port: UInt16) throws {
    try connect(toHost: host, onPort: port, withTimeout: -1)
  }

  /// Begins to connect to a host; a negative time is no limit.
  open func connect(
    toHost host: String, onPort port: UInt16, withTimeout timeout: TimeInterval
  ) throws {
    try connect(toHost: host, onPort: port, viaInterface: nil, withTimeout: timeout)
  }

  /// Begins to connect to a host by way of an interface: its name or one of its addresses, and a
  /// local `:port` behind it where one is wanted.
  open func connect(
    toHost host: String, onPort port: UInt16, viaInterface interface: String?,
    withTimeout timeout: TimeInterval
  ) throws {
    try begin(toHost: host, port: port, interface: interface, timeout: timeout)
  }

  /// Begins to connect to a sockaddr.
  open func connect(toAddress remoteAddr: Data) throws {
    try connect(toAddress: remoteAddr, withTimeout: -1)
  }

  /// Begins to connect to a sockaddr.
  open func connect(toAddress remoteAddr: Data, withTimeout timeout: TimeInterval) throws {
    try connect(toAddress: remoteAddr, viaInterface: nil, withTimeout: timeout)
  }

  /// Begins to connect to a sockaddr by way of an interface.
  open func connect(
    toAddress remoteAddr: Data, viaInterface interface: String?, withTimeout timeout: TimeInterval
  ) throws {
    try begin(toAddress: remoteAddr, interface: interface, timeout: timeout)
  }

  /// Begins to connect to a unix socket.
  open func connect(to url: URL, withTimeout timeout: TimeInterval) throws {
    try begin(to: url, timeout: timeout)
  }

  // MARK: Disconnecting

  /// Closes at once; writes that wait are dropped. What was written before arrives all the same.
  open func disconnect() { end { .disconnect(self) } }

  /// Closes when every read that was asked for is complete; later ones are turned away.
  open func disconnectAfterReading() { endAfter(reading: true, writing: false) }

  /// Closes when everything is written; later reads and writes are turned away.
  open func disconnectAfterWriting() { endAfter(reading: false, writing: true) }

  /// Closes when every read and write is complete; later ones are turned away.
  open func disconnectAfterReadingAndWriting() { endAfter(reading: true, writing: true) }

  /// Gives the connection up: the peer sees a reset, and what was written may be lost. The original
  /// has no such thing.
  open func abort() { end { .abort(self) } }

  // MARK: Diagnosis

  /// True while the socket neither listens nor is connected nor connects.
  open var isDisconnected: Bool { state.withLock { $0.isIdle } }
  /// True while there is a connection.
  open var isConnected: Bool { state.withLock { $0.isConnected } }
  /// The peer's address in text.
  open var connectedHost: String? { remote?.hostText }
  /// The peer's port.
  open var connectedPort: UInt16 { remote?.port ?? 0 }
  /// The path of the peer's unix socket.
  open var connectedUrl: URL? { remote?.url }
  /// The address on this side in text.
  open var localHost: String? { local?.hostText }
  /// The port on this side.
  open var localPort: UInt16 { local?.port ?? 0 }
  /// The peer's sockaddr.
  open var connectedAddress: Data? { remote?.sockaddr }
  /// The sockaddr on this side.
  open var localAddress: Data? { local?.sockaddr }
  /// Whether the socket uses IPv4.
  open var isIPv4: Bool { state.withLock { $0.uses { !$0.isIPv6 } } }
  /// Whether the socket uses IPv6.
  open var isIPv6: Bool { state.withLock { $0.uses { $0.isIPv6 } } }
  /// Whether TLS is in force.
  open var isSecure: Bool { state.withLock { $0.isSecure } }
  /// Bytes that wait to be written.
  open var bufferedBytes: Int { state.withLock { $0.stream }?.bufferedBytes ?? 0 }
  /// Whether more bytes wait to be written than ``writeHighWaterMark``.
  open var isAboveWriteHighWaterMark: Bool { bufferedBytes > writeHighWaterMark }

  // MARK: Reading

  /// Reads what is there.
  open func readData(withTimeout timeout: TimeInterval, tag: Int) {
    read(.available(limit: .max), timeout, nil, 0, tag)
  }

  /// Reads what is there, to a place in a buffer too.
  open func readData(
    withTimeout timeout: TimeInterval, buffer: NSMutableData?, bufferOffset offset: UInt, tag: Int
  ) { read(.available(limit: .max), timeout, buffer, offset, tag) }

  /// Reads what is there, at most so many bytes unless that is 0.
  open func readData(
    withTimeout timeout: TimeInterval, buffer: NSMutableData?, bufferOffset offset: UInt,
    maxLength: UInt, tag: Int
  ) { read(.available(limit: Int(limit: maxLength)), timeout, buffer, offset, tag) }

  /// Reads so many bytes.
  open func readData(toLength length: UInt, withTimeout timeout: TimeInterval, tag: Int) {
    readData(toLength: length, withTimeout: timeout, buffer: nil, bufferOffset: 0, tag: tag)
  }

  /// Reads so many bytes, to a place in a buffer too.
  open func readData(
    toLength length: UInt, withTimeout timeout: TimeInterval, buffer: NSMutableData?,
    bufferOffset offset: UInt, tag: Int
  ) { read(.length(Int(clamping: length)), timeout, buffer, offset, tag) }

  /// Reads to the end of a separator.
  open func readData(to data: Data?, withTimeout timeout: TimeInterval, tag: Int) {
    readData(to: data, withTimeout: timeout, maxLength: 0, tag: tag)
  }

  /// Reads to the end of a separator, to a place in a buffer too.
  open func readData(
    to data: Data?, withTimeout timeout: TimeInterval, buffer: NSMutableData?,
    bufferOffset offset: UInt, tag: Int
  ) { read(to: data, timeout, buffer, offset, maxLength: 0, tag) }

  /// Reads to the end of a separator, which must come within so many bytes unless that is 0.
  open func readData(
    to data: Data?, withTimeout timeout: TimeInterval, maxLength length: UInt, tag: Int
  ) { read(to: data, timeout, nil, 0, maxLength: length, tag) }

  /// Reads to the end of a separator, within a limit and to a place in a buffer too.
  open func readData(
    to data: Data?, withTimeout timeout: TimeInterval, buffer: NSMutableData?,
    bufferOffset offset: UInt, maxLength length: UInt, tag: Int
  ) { read(to: data, timeout, buffer, offset, maxLength: length, tag) }

  // MARK: Writing

  /// Writes data; nothing is done for none.
  open func write(_ data: Data?, withTimeout timeout: TimeInterval, tag: Int) {
    write(data ?? Data(), timeout, tag)
  }

  // MARK: TLS

  /// Puts TLS on the connection, once the reads and writes that were asked for are complete.
  open func startTLS(_ tlsSettings: [String: NSObject]?) { secure(tlsSettings ?? [:]) }

  // MARK: Advanced

  /// Has no effect: nothing here waits for the socket's queue.
  open func markSocketQueueTargetQueue(_ socketQueuesPreConfiguredTargetQueue: DispatchQueue) {}

  /// Has no effect: nothing here waits for the socket's queue.
  open func unmarkSocketQueueTargetQueue(
    _ socketQueuesPreviouslyConfiguredTargetQueue: DispatchQueue
  ) {}

  /// Runs a block where the socket works, and waits for it; descriptors may be asked for within.
  open func perform(_ block: () -> Void) { performOnLoop(block) }

  /// The descriptor, within ``perform(_:)``; otherwise -1.
  open func socketFD() -> Int32 { descriptorNumber { _ in true } }

  /// The descriptor of IPv4, within ``perform(_:)``; otherwise -1.
  open func socket4FD() -> Int32 { descriptorNumber { $0.ip.map { !$0.isIPv6 } ?? false } }

  /// The descriptor of IPv6, within ``perform(_:)``; otherwise -1.
  open func socket6FD() -> Int32 { descriptorNumber { $0.ip.map { $0.isIPv6 } ?? false } }

  /// True while there is a connection: nothing puts programs to sleep here that have none open.
  open func enableBackgroundingOnSocket() -> Bool { isConnected }

  /// Two are equal when they have the same identifier.
  open override func isEqual(_ object: Any?) -> Bool {
    (object as? GCDAsyncSocket)?.identifier == identifier
  }

  /// Hashes the identifier.
  open override var hash: Int { identifier.hashValue }

  /// The addresses of both sides.
  open override var description: String { descriptionOfAddresses }

  static func nextOperationNumber() -> UInt64 {
    lastOperation.next()
  }
}
