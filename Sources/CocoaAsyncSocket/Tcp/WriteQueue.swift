internal import Foundation
internal import Kernel

/// One write that was asked for.
struct WriteOperation {
  /// By which an answer that comes late knows whether it is meant.
  let number: UInt64
  let data: Data
  let timeout: Duration?
  let tag: Int
  /// Bytes that the connection has taken.
  var done = 0

  init(_ data: Data, number: UInt64, timeout: Duration?, tag: Int) {
    self.number = number
    self.data = data
    self.timeout = timeout
    self.tag = tag
  }

  /// Bytes that it has not.
  var left: Int { data.count - done }
}

/// The writes of one connection.
///
/// 1. Writes are sent in their order; a marker of TLS stands among them.
/// 2. `next` says what is to be done. Small writes that wait behind each other are sent together,
///    as far as they fit in one buffer; a large one is sent from where it is.
/// 3. `advance` is told how many bytes were taken, and says which writes that completes.
///
/// A pure machine: no socket, no clock, no lock.
struct WriteQueue: ~Copyable {
  /// A write that is at least so large is not copied to be sent with others.
  static let gatherLimit = 16_384

  /// What is to be done.
  enum Step {
    /// Nobody writes.
    case idle
    /// Write the bytes of the current write, by `withCurrent`.
    case writeCurrent
    /// Write what `gather` puts together.
    case writeGathered
    /// Everything that was to be written in clear is written.
    case secure
  }

  enum Entry {
    case operation(WriteOperation)
    case secure
  }

  private var entries = EntryQueue<Entry>()
  private var current: WriteOperation?
  /// Whether the marker of TLS is current.
  private(set) var isAtSecure = false
  /// Bytes of writes that wait, the current one's rest included.
  private(set) var byteCount = 0

  init() {}

  /// Whether no write waits and none is current.
  var isIdle: Bool { current == nil && !isAtSecure && entries.isEmpty }
  /// The write that is current.
  var operation: WriteOperation? { current }

  mutating func append(_ entry: Entry) {
    if case .operation(let operation) = entry { byteCount += operation.left }
    entries.append(entry)
  }

  mutating func next() -> Step {
    if isAtSecure { return .secure }
    if current == nil {
      switch entries.popFirst() {
      case nil: return .idle
      case .secure:
        isAtSecure = true
        return .secure
      case .operation(let operation): current = operation
      }
    }
    guard let current, current.left < WriteQueue.gatherLimit,
      case .operation? = entries.first
    else { return .writeCurrent }
    return .writeGathered
  }

  /// Calls `body` with what is left of the current write.
  func withCurrent<Value, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    guard let current else { preconditionFailure("no write is current") }
    return try body(current.data.span.octets.extracting(droppingFirst: current.done))
  }

  /// Copies the current write and those behind it, and returns how many bytes that is.
  func gather(into bytes: inout MutableRawSpan) -> Int {
    var count = 0
    func add(_ data: Data, from start: Int) -> Bool {
      let left = data.span.octets.extracting(droppingFirst: start)
      let portion = left.extracting(first: min(left.byteCount, bytes.byteCount - count))
      bytes.put(portion, at: count)
      count += portion.byteCount
      return count < bytes.byteCount
    }
    if let current, !add(current.data, from: current.done) { return count }
    for entry in entries.all {
      guard case .operation(let operation) = entry, add(operation.data, from: operation.done) else {
        break
      }
    }
    return count
  }

  /// So many bytes were taken: those writes are complete, in their order.
  mutating func advance(_ count: Int, completed: (WriteOperation) -> Void) {
    var rest = count
    byteCount -= count
    while rest > 0, var operation = current {
      let portion = min(rest, operation.left)
      operation.done += portion
      rest -= portion
      guard operation.left == 0 else {
        current = operation
        return
      }
      current = nil
      completed(operation)
      // Bytes of the next one were sent along.
      if rest > 0, case .operation(let next)? = entries.popFirst() { current = next }
    }
    precondition(rest == 0, "more was taken than there was")
  }

  /// The marker of TLS is passed.
  mutating func passSecure() { isAtSecure = false }

  /// Forgets all writes.
  mutating func removeAll() {
    entries = EntryQueue()
    current = nil
    isAtSecure = false
    byteCount = 0
  }
}
