internal import Reactor

/// What holds the bytes of one direction between its source and its sink: a buffer or a pipe, each
/// borrowed from the loop's pools and only while it holds bytes.
struct Carrier: ~Copyable {
  /// How the source is read.
  enum Mode: Equatable {
    /// Through a buffer: fewer system calls for small exchanges.
    case copying
    /// Through a pipe: no byte is copied to this process.
    case splicing
    /// Through a buffer for good: a kind of socket that splice(2) does not serve, or a stream that
    /// carried TCP's urgent byte, at which splice(2) stops for ever.
    case copyingOnly
  }

  /// A splice of fewer bytes than this is small; copying would have cost no more.
  static let smallSplice = 8_192
  /// Small splices in a row after which bytes are copied again.
  static let smallSplicesTolerated = 8

  var mode = Mode.copying
  var buffer: Chunk?
  /// The first byte in `buffer` that has not been written.
  var offset = 0
  var pipe: PooledPipe?
  private var smallSplices = 0

  init() {}

  /// A read through a buffer brought `count` bytes: a full buffer is the sign of bulk.
  mutating func didCopy(_ count: Int, of size: Int) {
    if mode == .copying, count == size {
      mode = .splicing
      smallSplices = 0
    }
  }

  /// A read through a pipe brought `count` bytes.
  mutating func didSplice(_ count: Int) {
    smallSplices = count < Carrier.smallSplice ? smallSplices + 1 : 0
    if smallSplices > Carrier.smallSplicesTolerated, mode == .splicing { mode = .copying }
  }
}
