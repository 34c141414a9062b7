internal import Foundation
internal import Kernel
internal import Sockets

/// The reads of one connection: which is current, and what came behind the end of the last one.
///
/// 1. Reads are served in their order; a marker of TLS stands among them.
/// 2. `next` says what is to be done; what was kept is used first.
/// 3. Bytes are given to `receive`; what the current read does not take is kept for the next ones.
///
/// A pure machine: no socket, no clock, no lock.
struct ReadQueue: ~Copyable {
  /// Bytes that are read ahead to learn how a connection ends while nobody reads.
  static let aheadLimit = 65_536

  /// What is to be done.
  enum Step {
    /// Nobody wants anything.
    case idle
    /// Read up to so many bytes.
    case read(Int)
    /// A read is over.
    case completed(ReadOperation)
    /// The separator did not come within the limit.
    case tooLong(ReadOperation)
    /// Everything that was to be read in clear is read.
    case secure
  }

  enum Entry {
    case operation(ReadOperation)
    case secure
  }

  private var waiting = EntryQueue<Entry>()
  private var current: Entry?
  private var kept = ByteQueue()

  init() {}

  /// Whether no read waits and none is current.
  var isIdle: Bool { current == nil && waiting.isEmpty }
  /// Bytes that nobody has asked for yet.
  var keptCount: Int { kept.count }

  /// Whether the marker of TLS is current.
  var isAtSecure: Bool {
    if case .secure? = current { true } else { false }
  }

  /// The read that is current.
  var operation: ReadOperation? {
    if case .operation(let operation)? = current { operation } else { nil }
  }

  mutating func append(_ entry: Entry) { waiting.append(entry) }

  mutating func next() -> Step {
    if current == nil { current = waiting.popFirst() }
    switch current {
    case nil: return .idle
    case .secure: return .secure
    case .operation(var operation):
      if operation.outcome == nil, !kept.isEmpty {
        // Not to be copied while it grows.
        current = nil
        let count = kept.withBytes { operation.take($0) }
        kept.removeFirst(count)
        current = .operation(operation)
      }
      switch operation.outcome {
      case nil: return .read(operation.wanted)
      case .reached:
        current = nil
        return .completed(operation)
      case .tooLong:
        current = nil
        return .tooLong(operation)
      }
    }
  }

  /// Takes in what was read.
  mutating func receive(_ bytes: RawSpan) {
    var taken = 0
    if case .operation(var operation)? = current, kept.isEmpty {
      current = nil
      taken = operation.take(bytes)
      current = .operation(operation)
    }
    if taken < bytes.byteCount { kept.append(bytes.extracting(droppingFirst: taken)) }
  }

  /// Takes out what was kept: the bytes are TLS's.
  mutating func takeKept() -> [UInt8] { kept.take(kept.count) }

  /// The marker of TLS is passed.
  mutating func passSecure() { current = nil }

  /// Takes the current read out although it is not complete. What has come of it is kept for the
  /// next.
  mutating func dropCurrent() -> ReadOperation? {
    guard case .operation(let operation)? = current else { return nil }
    current = nil
    if !operation.bytes.isEmpty {
      var restored = ByteQueue()
      restored.append(operation.bytes.span.octets)
      kept.withBytes { restored.append($0) }
      kept = restored
    }
    return operation
  }

  /// Forgets all reads and what was kept.
  mutating func removeAll() {
    current = nil
    waiting = EntryQueue()
    kept = ByteQueue()
  }
}

/// A queue of anything; it holds memory only while it holds entries.
struct EntryQueue<Element> {
  private var entries: [Element?] = []
  private var start = 0

  var isEmpty: Bool { start == entries.count }
  var count: Int { entries.count - start }
  var first: Element? { isEmpty ? nil : entries[start] }

  /// The entries in their order.
  var all: some Sequence<Element> { entries[start...].lazy.compactMap { $0 } }

  mutating func append(_ element: Element) {
    if start > 32, start >= entries.count / 2 {
      entries.removeSubrange(..<start)
      start = 0
    }
    entries.append(element)
  }

  mutating func popFirst() -> Element? {
    guard !isEmpty else { return nil }
    let element = entries[start].take()
    start += 1
    if start == entries.count {
      entries = []
      start = 0
    }
    return element
  }
}
