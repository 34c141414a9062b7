import Kernel

/// One of the relay's sockets in a simulated kernel, with the peer at its other end.
///
/// It keeps the kernel's rules: a reset is told after the bytes that came before it; room that was
/// refused is announced when it comes; readiness is told once a change.
final class SimulatedSocket {
  /// Bytes that came and were not read.
  private(set) var incoming: ArraySlice<UInt8> = []
  /// The peer has ended its stream after `incoming`.
  private(set) var peerEnded = false
  /// The error that a reset of the peer left, until a call takes it.
  private var pendingError: Errno?
  private(set) var peerReset = false
  /// The last read left its bytes in place.
  private(set) var wasPeeked = false

  /// What the relay wrote and the peer has not read.
  private(set) var outgoing: [UInt8] = []
  /// Bytes that the relay may write before it is refused.
  let capacity: Int
  private var refusedRoom = false
  private(set) var isShutDown = false

  /// How the relay closed it, nil while it is open.
  enum Fate { case closed, reset }
  var fate: Fate?

  /// Readiness that the relay has not been told yet.
  var news: Readiness = []

  init(capacity: Int) {
    self.capacity = capacity
  }

  // MARK: The peer

  func peerSends(_ bytes: [UInt8]) {
    guard !peerReset, !peerEnded else { return }
    incoming += bytes
    news.insert(.readable)
  }

  func peerEnds() {
    guard !peerReset, !peerEnded else { return }
    peerEnded = true
    news.formUnion([.readable, .peerEnded])
  }

  func peerResets() {
    guard !peerReset else { return }
    peerReset = true
    pendingError = peerEnded ? .brokenPipe : .connectionReset
    outgoing = []
    news.formUnion([.readable, .writable, .error, .hungUp, .peerEnded])
  }

  /// Reads up to `count` bytes of what the relay wrote.
  func peerReads(_ count: Int) -> [UInt8] {
    let read = Array(outgoing.prefix(count))
    outgoing.removeFirst(read.count)
    if refusedRoom, !read.isEmpty {
      refusedRoom = false
      news.insert(.writable)
    }
    return read
  }

  /// What a peer that reads everything sees at the end.
  enum End: Equatable { case open, endOfStream, reset }
  var peerSees: End {
    if fate == .reset { return .reset }
    return fate == .closed || isShutDown ? .endOfStream : .open
  }

  // MARK: The relay

  func read(_ limit: Int, taking: Bool = true) throws(Errno) -> [UInt8]? {
    if incoming.isEmpty {
      // SOCK_DONE comes before sk_err: an end hides the reset that follows it.
      if peerEnded { return [] }
      if let error = takeError() { throw error }
      return peerReset ? [] : nil
    }
    wasPeeked = !taking
    let bytes = Array(incoming.prefix(limit))
    if taking { incoming.removeFirst(bytes.count) }
    return bytes
  }

  func write(_ bytes: [UInt8]) throws(Errno) -> Int? {
    if let error = takeError() { throw error }
    guard !peerReset, !isShutDown else { throw .brokenPipe }
    let room = capacity - outgoing.count
    if bytes.count > room { refusedRoom = true }
    guard room > 0 else { return nil }
    let taken = bytes.prefix(room)
    outgoing += taken
    return taken.count
  }

  func shutDown() throws(Errno) {
    guard !peerReset else { throw .notConnected }
    isShutDown = true
  }

  private func takeError() -> Errno? {
    defer { pendingError = nil }
    return pendingError
  }
}
