internal import Kernel
internal import Reactor

/// One connection: a request is read to its end, answered, and the connection closed.
final class Visit {
  private enum Step {
    /// The last bytes that came, up to four.
    case reading(tail: [UInt8])
    case answering(ArraySlice<UInt8>)
    /// All is sent; the visitor closes first, so that nothing in flight is lost.
    case ending
  }

  private static let endOfRequest = Array("\r\n\r\n".utf8)

  let connection: Descriptor
  var registration: Registration?
  var timer: TimerToken?
  private var step = Step.reading(tail: [])

  init(_ accepted: consuming Accepted) {
    connection = accepted.descriptor()
  }

  /// Goes on until the kernel says that it would block; true when the visit is over.
  func advance(answer: () -> [UInt8]) throws(Errno) -> Bool {
    while true {
      switch step {
      case .reading(let tail):
        guard let bytes = try connection.receiveBytes() else { return false }
        guard !bytes.isEmpty else { return true }
        let text = tail + bytes
        let isWhole = text.indices.contains { text[$0...].starts(with: Visit.endOfRequest) }
        step = isWhole ? .answering(answer()[...]) : .reading(tail: text.suffix(3))
      case .answering(let bytes):
        guard let count = try connection.sendBytes(bytes) else { return false }
        step = .answering(bytes.dropFirst(count))
        if count == bytes.count {
          try connection.shutdownWrite()
          step = .ending
        }
      case .ending:
        guard let bytes = try connection.receiveBytes() else { return false }
        if bytes.isEmpty { return true }
      }
    }
  }
}
