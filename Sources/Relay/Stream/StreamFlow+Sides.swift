internal import Kernel
internal import Reactor

/// What the two sides have in common, by side.
extension StreamFlow {
  func withSocket<Result, Failure: Error>(
    of side: Side, _ body: (borrowing Descriptor) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    switch side {
    case .client: try client.withSocket(body)
    case .target: try target.withSocket(body)
    }
  }

  func endIsNear(_ side: Side) -> Bool {
    switch side {
    case .client: client.endIsNear
    case .target: target.endIsNear
    }
  }

  func isUnix(_ side: Side) -> Bool {
    switch side {
    case .client: client.isUnix
    case .target: target.isUnix
    }
  }

  func changeCarrier(from side: Side, _ body: (inout Carrier) -> Void) {
    switch side {
    case .client: body(&upward)
    case .target: body(&downward)
    }
  }

  func mode(from side: Side) -> Carrier.Mode {
    switch side {
    case .client: upward.mode
    case .target: downward.mode
    }
  }

  func pipe(from side: Side) -> PooledPipe? {
    switch side {
    case .client: upward.pipe
    case .target: downward.pipe
    }
  }

  func copyOnly(from side: Side) {
    changeCarrier(from: side) { $0.mode = .copyingOnly }
  }

  func hold(_ pipe: PooledPipe, from side: Side) {
    changeCarrier(from: side) { $0.pipe = pipe }
  }

  func hold(_ chunk: consuming Chunk, from side: Side) {
    switch side {
    case .client: upward.hold(chunk)
    case .target: downward.hold(chunk)
    }
  }

  /// Gives an empty carrier's buffer or pipe back to the loop's pools.
  func giveBack(from side: Side) {
    switch side {
    case .client: home.takeBack(&upward, isEmpty: true)
    case .target: home.takeBack(&downward, isEmpty: true)
    }
  }

  /// Gives a carrier's buffer or pipe back with the bytes in it, which nobody will have.
  func discardHeld(from side: Side) {
    switch side {
    case .client: home.takeBack(&upward, isEmpty: false)
    case .target: home.takeBack(&downward, isEmpty: false)
    }
  }
}

extension Carrier {
  mutating func hold(_ chunk: consuming Chunk) {
    precondition(isWithoutBuffer, "a carrier holds one buffer")
    buffer = consume chunk
    offset = 0
  }

  var isWithoutBuffer: Bool {
    switch buffer {
    case .some: false
    case .none: true
    }
  }

  /// Calls `body` with the buffer, which must be there, and the first byte not written.
  borrowing func withBuffer<Result, Failure: Error>(
    _ body: (borrowing Chunk, Int) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    switch buffer {
    case .some(let chunk): return try body(chunk, offset)
    case .none: preconditionFailure("bytes are held without a buffer or a pipe")
    }
  }
}
