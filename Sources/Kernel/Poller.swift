internal import CKernel
internal import Glibc

/// What a descriptor is ready for, as epoll(7) says it.
public struct Readiness: OptionSet, Sendable {
  /// epoll's event bits.
  public let rawValue: UInt32

  /// Makes a set of epoll's event bits.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// EPOLLIN: bytes, an end of stream or a connection waits.
  public static let readable = Readiness(rawValue: 0x001)
  /// EPOLLPRI: TCP's urgent byte is in the stream.
  public static let urgent = Readiness(rawValue: 0x002)
  /// EPOLLOUT: there is room to write, or a connection attempt has ended.
  public static let writable = Readiness(rawValue: 0x004)
  /// EPOLLERR: the socket has an error; always reported.
  public static let error = Readiness(rawValue: 0x008)
  /// EPOLLHUP: both directions are over; always reported.
  public static let hungUp = Readiness(rawValue: 0x010)
  /// EPOLLRDHUP: the peer has shut down its writing.
  public static let peerEnded = Readiness(rawValue: 0x2000)
  /// EPOLLEXCLUSIVE: of several pollers that watch one listener, wake one; only when adding.
  public static let exclusive = Readiness(rawValue: 1 << 28)
  /// EPOLLET: report changes, not levels.
  public static let edge = Readiness(rawValue: 1 << 31)
}

/// One report of the poller: the number given at registration and what is ready.
public struct PollerEvent: Sendable {
  /// The number that the descriptor was registered with.
  public let data: UInt64
  /// What it is ready for.
  public let readiness: Readiness
}

/// An epoll(7) instance with its event array.
@safe public struct Poller: ~Copyable {
  /// Events taken from the kernel in one call.
  public static let batchCapacity = 256

  private let epoll: Descriptor
  private let events: UnsafeMutableBufferPointer<adit_event>

  /// Opens an epoll instance.
  public init() throws(Errno) {
    epoll = Descriptor(adopting: try check(adit_epoll_create()))
    unsafe events = .allocate(capacity: Poller.batchCapacity)
    unsafe events.initialize(repeating: adit_event())
  }

  deinit {
    unsafe events.deallocate()
  }

  /// Watches a descriptor until it is closed or removed; `data` comes back with each event.
  public borrowing func add(
    _ descriptor: Int32, for readiness: Readiness, data: UInt64
  ) throws(Errno) {
    _ = try check(adit_epoll_add(epoll.number, descriptor, readiness.rawValue, data))
  }

  /// Changes what a watched descriptor is watched for.
  public borrowing func modify(
    _ descriptor: Int32, for readiness: Readiness, data: UInt64
  ) throws(Errno) {
    _ = try check(adit_epoll_modify(epoll.number, descriptor, readiness.rawValue, data))
  }

  /// Stops watching a descriptor that stays open.
  public borrowing func remove(_ descriptor: Int32) throws(Errno) {
    _ = try check(adit_epoll_delete(epoll.number, descriptor))
  }

  /// Waits at most `milliseconds` (-1: for ever) and returns how many events came.
  public borrowing func wait(milliseconds: Int32) throws(Errno) -> Int {
    let count = unsafe adit_epoll_wait(
      epoll.number, events.baseAddress, Int32(events.count), milliseconds)
    return Int(try check(count))
  }

  /// The event at `index` of the last `wait`.
  public borrowing func event(_ index: Int) -> PollerEvent {
    let event = unsafe events[index]
    return PollerEvent(data: event.data, readiness: Readiness(rawValue: event.events))
  }
}

/// A counter that makes a poller wake: eventfd(2).
public struct WakeUp: ~Copyable, Sendable {
  /// The descriptor to watch for reading.
  public let descriptor: Descriptor

  /// Makes a counter at zero.
  public init() throws(Errno) {
    descriptor = Descriptor(adopting: try check(adit_eventfd()))
  }

  /// Makes the descriptor readable; any thread may call it.
  public borrowing func signal() {
    var one: UInt64 = 1
    _ = unsafe adit_write(descriptor.number, &one, 8)
  }

  /// Makes the descriptor unreadable again.
  public borrowing func clear() {
    var count: UInt64 = 0
    _ = unsafe adit_read(descriptor.number, &count, 8)
  }
}

/// Signals as events: signalfd(2). The signals are blocked in the thread that makes it.
public struct SignalSource: ~Copyable, Sendable {
  /// The descriptor to watch for reading.
  public let descriptor: Descriptor

  /// Blocks `signals` in this thread, which should be the first one, and collects them.
  public init(_ signals: [Int32]) throws(Errno) {
    let number = unsafe adit_signalfd(signals, Int32(signals.count))
    descriptor = Descriptor(adopting: try check(number))
  }

  /// The next signal that came, nil when there is none.
  public borrowing func next() throws(Errno) -> Int32? {
    let signal = try check(adit_signalfd_read(descriptor.number))
    return signal == 0 ? nil : signal
  }

  /// Ignores SIGPIPE in the whole process: splice(2) has no flag that prevents it.
  public static func ignoreBrokenPipe() {
    _ = adit_ignore_sigpipe()
  }
}
