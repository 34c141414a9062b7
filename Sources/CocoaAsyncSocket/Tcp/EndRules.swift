/// When a connection ends, and how.
///
/// A pure machine: it is told what has happened, and says from the state of the queues whether that
/// is the end.
struct EndRules {
  /// How a connection ends.
  enum Verdict: Equatable {
    /// Not yet.
    case goOn
    /// As this side wished.
    case done
    /// The peer ended its stream.
    case peerClosed
    /// A write failed, and nothing is left to read.
    case writeFailed
  }

  /// The state of one direction.
  enum Queue: Equatable {
    case idle
    case busy
  }

  /// Close when no read is left.
  var endsAfterReading = false
  /// Close when no write is left.
  var endsAfterWriting = false
  /// The peer has ended its stream, and all of it is read from the socket.
  var peerHasEnded = false
  /// The peer's end of its stream is not the end of the connection.
  var allowsHalfClose = false
  /// A write has failed: nothing more can be sent, but what the peer sent before is to be read.
  private(set) var writeHasFailed = false
  /// The peer had ended its stream before a write failed: that is how the end is reported.
  private var endedFirst = false
  /// Nobody has read what is left for longer than is waited for.
  var waitedForReads = false

  /// Whether new reads and writes are turned away.
  var isEnding: Bool { endsAfterReading || endsAfterWriting }

  /// A write has failed.
  mutating func noteWriteFailure() {
    guard !writeHasFailed else { return }
    writeHasFailed = true
    endedFirst = peerHasEnded && !allowsHalfClose
  }

  /// What follows; `keptBytes` are read from the socket and not asked for.
  func verdict(reads: Queue, writes: Queue, keptBytes: Int) -> Verdict {
    // A read that is current when nothing more comes has everything there was: it never completes.
    let readsAreOver = peerHasEnded && (keptBytes == 0 || reads == .busy)
    if writeHasFailed {
      guard readsAreOver || waitedForReads else { return .goOn }
      return endedFirst ? .peerClosed : .writeFailed
    }
    if isEnding {
      let readsAreDone = !endsAfterReading || reads == .idle || readsAreOver
      guard readsAreDone, !endsAfterWriting || writes == .idle else { return .goOn }
      return endsAfterReading && reads == .busy ? .peerClosed : .done
    }
    guard readsAreOver, !allowsHalfClose, writes == .idle else { return .goOn }
    return .peerClosed
  }
}
