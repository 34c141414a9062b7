internal import Kernel

/// Bytes for one side of a control connection, with the places of urgent ones.
struct ControlOutput {
  private var bytes: [UInt8] = []
  private var offset = 0
  /// Indices in `bytes` of bytes that are sent as urgent.
  private var urgent: [Int] = []
  /// The next bytes that are added end with an urgent one.
  private var awaitsUrgent = false
  /// Bytes written in all.
  private(set) var sent: UInt64 = 0

  var count: Int { bytes.count - offset }

  mutating func append(_ more: [UInt8]) {
    // What a slow reader has had is let go now and then, not only when it has had all.
    if offset > bytes.count / 2 {
      bytes.removeFirst(offset)
      urgent = urgent.map { $0 - offset }
      offset = 0
    }
    bytes += more
  }

  /// The urgent byte of the other side was read when `count` bytes were here: it is the last one
  /// added since, or the last one that is added next.
  mutating func markUrgent(addedSince before: Int) {
    awaitsUrgent = true
    settleUrgent(addedSince: before)
  }

  mutating func settleUrgent(addedSince before: Int) {
    guard awaitsUrgent, count > before else { return }
    awaitsUrgent = false
    urgent.append(bytes.count - 1)
  }

  /// Writes once. Nil when there is nothing to write.
  mutating func write(to socket: borrowing Descriptor) throws(Errno) -> Transfer? {
    guard count > 0 else { return nil }
    let transfer: Transfer
    if urgent.first == offset {
      transfer = try socket.sendUrgent(bytes[offset])
      if case .moved = transfer { urgent.removeFirst() }
    } else {
      let end = urgent.first ?? bytes.count
      transfer = try socket.send(bytes.span.octets.extracting(offset..<end))
    }
    if case .moved(let count) = transfer {
      offset += count
      sent += UInt64(count)
      if offset == bytes.count {
        bytes = []
        offset = 0
      }
    }
    return transfer
  }
}

/// One side of a control connection as its runner sees it.
struct ControlSide {
  var mayRead = false
  var mayWrite = true
  /// Its stream is over.
  var hasEnded = false
  /// It was told that the other side's stream is over.
  var isShutDown = false
  /// What is to be written to it.
  var output = ControlOutput()
}
