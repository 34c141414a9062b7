internal import Kernel
internal import Reactor

extension StreamFlow {
  // MARK: Reading

  func read(from side: Side) {
    do {
      if mode(from: side) == .splicing, try splice(from: side) { return }
      try copy(from: side)
    } catch {
      giveBack(from: side)
      machine.readFailed(from: side)
    }
  }

  /// Reads once through a pipe. False when that cannot be, or tells nothing certain: then the read
  /// is made through a buffer.
  private func splice(from side: Side) throws(Errno) -> Bool {
    guard let pipe = pipe(from: side) ?? home.pipes.take() else {
      home.counters.pipeRefusals += 1
      return false
    }
    hold(pipe, from: side)
    let transfer: Transfer
    do {
      transfer = try withSocket(of: side) { socket throws(Errno) in
        try home.system.fill(pipe.pipe, from: socket, count: RelayLimits.pipeCapacity)
      }
    } catch {
      guard error == .invalidArgument else { throw error }
      copyOnly(from: side)
      giveBack(from: side)
      return false
    }
    switch transfer {
    case .moved(let count):
      changeCarrier(from: side) { $0.didSplice(count) }
      lastActivity = home.loop.now
    case .wouldBlock:
      giveBack(from: side)
    case .ended:
      // At TCP's urgent byte splice(2) tells an end too, once the peer has ended its stream.
      giveBack(from: side)
      return false
    }
    machine.didRead(from: side, transfer)
    return true
  }

  /// Reads once through a buffer.
  private func copy(from side: Side) throws(Errno) {
    // An empty pipe that stayed for the next read is not what this read goes through.
    if pipe(from: side) != nil { giveBack(from: side) }
    guard let chunk = home.chunks.take() else { return try copyWithoutBuffer(from: side) }
    let transfer: Transfer
    do {
      transfer = try withSocket(of: side) { socket throws(Errno) in
        try home.system.receive(socket, into: chunk, count: chunk.size)
      }
    } catch {
      home.chunks.give(chunk)
      throw error
    }
    guard case .moved(let count) = transfer else {
      home.chunks.give(chunk)
      machine.didRead(from: side, transfer)
      return
    }
    let size = chunk.size
    hold(chunk, from: side)
    machine.didRead(from: side, transfer)
    // A short read has emptied a TCP socket (epoll(7)), unless an end or an urgent byte is near. A
    // unix socket stops short behind a message that carried a descriptor.
    if count < size, !endIsNear(side), !isUnix(side) { machine.didRead(from: side, .wouldBlock) }
    changeCarrier(from: side) { $0.didCopy(count, of: size) }
    lastActivity = home.loop.now
  }

  /// All buffers hold bytes of slow sinks. Reads no more than the sink takes at once, so that
  /// nothing has to be kept: look, send, and only then take what was sent out of the socket.
  private func copyWithoutBuffer(from side: Side) throws(Errno) {
    home.counters.bufferRefusals += 1
    let seen = try withSocket(of: side) { socket throws(Errno) in
      try home.withScratch { chunk throws(Errno) in try home.system.peek(socket, into: chunk) }
    }
    guard case .moved(let count) = seen else { return machine.didRead(from: side, seen) }
    if needsNoDelay(side.other) { setNoDelay(side.other) }
    let sent: Transfer
    do {
      sent = try withSocket(of: side.other) { socket throws(Errno) in
        try home.withScratch { chunk throws(Errno) in
          try home.system.send(socket, from: chunk, offset: 0, count: count)
        }
      }
    } catch {
      return machine.writeFailed(to: side.other)
    }
    guard case .moved(let taken) = sent else {
      do { try watchRoom(of: side.other) } catch { return machine.writeFailed(to: side.other) }
      machine.didWrite(to: side.other, .wouldBlock)
      machine.foundNoBuffer(from: side)
      return
    }
    let removed = try takeOut(taken, from: side)
    precondition(removed == .moved(taken), "bytes that were seen in a socket have left it")
    machine.didRead(from: side, removed)
    machine.didWrite(to: side.other, sent)
    lastActivity = home.loop.now
    if tunnel.settings.userTimeout > .zero { watchUserTimeout() }
  }

  func discard(from side: Side) {
    do {
      machine.didRead(from: side, try takeOut(RelayLimits.bufferSize, from: side))
    } catch {
      machine.readFailed(from: side)
    }
  }

  /// Reads up to `count` bytes that nobody needs (any more).
  private func takeOut(_ count: Int, from side: Side) throws(Errno) -> Transfer {
    try withSocket(of: side) { socket throws(Errno) in
      try home.withScratch { chunk throws(Errno) in
        try home.system.receive(socket, into: chunk, count: count)
      }
    }
  }

  // MARK: Writing

  func write(to side: Side) {
    if needsNoDelay(side) { setNoDelay(side) }
    do {
      let transfer = try send(to: side)
      if transfer == .wouldBlock { try watchRoom(of: side) }
      machine.didWrite(to: side, transfer)
      if case .moved(let count) = transfer { didSend(count, to: side) }
    } catch {
      machine.writeFailed(to: side)
      discardHeld(from: side.other)
    }
  }

  private func send(to side: Side) throws(Errno) -> Transfer {
    let held = machine.direction(from: side.other).held
    if let pipe = pipe(from: side.other) {
      return try withSocket(of: side) { socket throws(Errno) in
        try home.system.drain(pipe.pipe, to: socket, count: held)
      }
    }
    return try sendBuffer(to: side, count: held)
  }

  private func sendBuffer(to side: Side, count: Int) throws(Errno) -> Transfer {
    switch side {
    case .target:
      try upward.withBuffer { chunk, offset throws(Errno) in
        try target.withSocket { socket throws(Errno) in
          try home.system.send(socket, from: chunk, offset: offset, count: count)
        }
      }
    case .client:
      try downward.withBuffer { chunk, offset throws(Errno) in
        try client.withSocket { socket throws(Errno) in
          try home.system.send(socket, from: chunk, offset: offset, count: count)
        }
      }
    }
  }

  /// Has room to write reported from now on, also when it has come since. The target's socket
  /// reports it since it was connected.
  private func watchRoom(of side: Side) throws(Errno) {
    guard side == .client, !client.watchesRoom else { return }
    try client.withSocket { socket throws(Errno) in
      try home.loop.modify(client.registration, socket, for: EventLoop.everyChange)
    }
    client.watchesRoom = true
  }

  private func didSend(_ count: Int, to side: Side) {
    lastActivity = home.loop.now
    if tunnel.settings.userTimeout > .zero { watchUserTimeout() }
    if machine.direction(from: side.other).held > 0 {
      changeCarrier(from: side.other) { $0.offset += count }
    } else if pipe(from: side.other) == nil || !machine.direction(from: side.other).mayRead {
      // An empty pipe stays for the read that follows at once.
      giveBack(from: side.other)
    }
  }

  /// TCP_NODELAY is set with the second write: Nagle's algorithm never holds the first one back,
  /// and many connections never write twice. The client's socket has it from its listener.
  private func needsNoDelay(_ side: Side) -> Bool {
    guard side == .target, target.writes < 2 else { return false }
    target.writes += 1
    return target.writes == 2 && !target.isUnix && tunnel.settings.sendsAtOnce
  }

  private func setNoDelay(_ side: Side) {
    withSocket(of: side) { socket in
      // Refused only by a socket that has failed, which the write tells.
      try? home.system.set(socket, .noDelay, 1)
    }
  }

  func shutDown(_ side: Side) {
    do {
      try withSocket(of: side) { socket throws(Errno) in try home.system.shutdownWrite(socket) }
      machine.didShutDown(side)
    } catch {
      machine.writeFailed(to: side)
    }
  }

  /// Bytes that the side's kernel has not acknowledged; 0 where that cannot be known or awaited.
  func unacknowledged(by side: Side) -> Int {
    // A unix socket's bytes are with the receiver once written, and outlive our close.
    if isUnix(side) { return 0 }
    return withSocket(of: side) { socket in (try? home.system.unacknowledged(socket)) ?? 0 }
  }
}
