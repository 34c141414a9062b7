internal import Foundation
internal import Kernel

/// What a read is to bring.
enum ReadGoal {
  /// What is there, at most so much.
  case available(limit: Int)
  /// So many bytes.
  case length(Int)
  /// Everything to the end of a separator, at most so much.
  case separator([UInt8], limit: Int)
}

/// Where the caller wants the bytes of a read besides the callback. It is touched on the delegate's
/// queue only.
struct ReadDestination {
  let buffer: NSMutableData
  let offset: Int
}

/// One read that was asked for.
struct ReadOperation {
  /// Bytes for which a read of a given length takes memory before they have come.
  static let foresight = 65_536

  /// By which an answer that comes late knows whether it is meant.
  let number: UInt64
  let goal: ReadGoal
  let timeout: Duration?
  let tag: Int
  let destination: ReadDestination?
  /// What has come of it.
  private(set) var bytes = Data()
  /// When the goal is reached or missed, nothing more is taken in.
  private(set) var outcome: Outcome?

  enum Outcome {
    case reached
    case tooLong
  }

  init(
    _ goal: ReadGoal, number: UInt64, timeout: Duration?, tag: Int,
    destination: ReadDestination? = nil
  ) {
    self.number = number
    self.goal = goal
    self.timeout = timeout
    self.tag = tag
    self.destination = destination
    if case .length(let length) = goal {
      bytes.reserveCapacity(min(length, ReadOperation.foresight))
    }
  }

  /// The most bytes that reading for it should bring at once.
  var wanted: Int {
    switch goal {
    case .available(let limit): limit
    case .length(let length): length - bytes.count
    // What stands behind the separator is kept for the next.
    case .separator: .max
    }
  }

  /// The bytes in all, where that is known beforehand.
  var total: Int? {
    if case .length(let length) = goal { length } else { nil }
  }

  /// Takes in what belongs to it, and returns how much of the bytes that is.
  mutating func take(_ new: RawSpan) -> Int {
    guard !new.isEmpty, outcome == nil else { return 0 }
    switch goal {
    case .available(let limit):
      outcome = .reached
      return keep(new, min(limit, new.byteCount))
    case .length(let length):
      let count = keep(new, min(length - bytes.count, new.byteCount))
      if bytes.count == length { outcome = .reached }
      return count
    case .separator(let separator, let limit):
      return take(new, upTo: separator, limit: limit)
    }
  }

  private mutating func take(_ new: RawSpan, upTo separator: [UInt8], limit: Int) -> Int {
    let room = min(limit - bytes.count, new.byteCount)
    let visible = new.extracting(first: room)
    if let end = SeparatorSearch.end(of: separator, in: visible, behind: bytes) {
      outcome = .reached
      return keep(new, end)
    }
    let count = keep(new, room)
    if bytes.count == limit { outcome = .tooLong }
    return count
  }

  private mutating func keep(_ new: RawSpan, _ count: Int) -> Int {
    bytes.append(new.extracting(first: count))
    return count
  }
}

/// Finds a separator that may begin in what came before.
enum SeparatorSearch {
  /// How many of the new bytes go to the end of the first separator, which is not within `old`.
  static func end(of separator: [UInt8], in new: RawSpan, behind old: Data) -> Int? {
    let reach = separator.count - 1
    if reach > 0, !old.isEmpty, !new.isEmpty {
      let kept = min(reach, old.count)
      var seam = Array(old.suffix(kept))
      seam.append(new.extracting(first: min(reach, new.byteCount)))
      if let found = seam.span.octets.firstOffset(of: separator.span.octets) {
        return found + separator.count - kept
      }
    }
    return new.firstOffset(of: separator.span.octets).map { $0 + separator.count }
  }
}
