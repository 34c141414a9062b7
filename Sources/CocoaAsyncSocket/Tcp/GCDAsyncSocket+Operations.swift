internal import Foundation
internal import Kernel
internal import Reactor
internal import Sockets

/// Reads, writes and what else is put into a connection's inbox.
extension GCDAsyncSocket {
  func read(
    _ goal: ReadGoal, _ timeout: TimeInterval, _ buffer: NSMutableData?, _ offset: UInt, _ tag: Int
  ) {
    switch goal {
    // Nothing is read, and nobody told, as ever.
    case .length(0): return
    case .available, .length, .separator: break
    }
    var destination: ReadDestination?
    if let buffer {
      guard offset <= UInt(buffer.length) else {
        let error = SocketError.invalid(
          "the offset \(offset) in a buffer of \(buffer.length) bytes", expected: "one within it")
        return failRead(tag, error)
      }
      destination = ReadDestination(buffer: buffer, offset: Int(offset))
    }
    let operation = ReadOperation(
      goal, number: GCDAsyncSocket.nextOperationNumber(), timeout: Duration(limit: timeout),
      tag: tag, destination: destination)
    guard let session = state.withLock({ $0.stream }) else { return failRead(tag, .closed) }
    session.send(.read(operation))
  }

  func read(
    to data: Data?, _ timeout: TimeInterval, _ buffer: NSMutableData?, _ offset: UInt,
    maxLength: UInt, _ tag: Int
  ) {
    let separator = data.map { [UInt8]($0) } ?? []
    let limit = Int(limit: maxLength)
    guard !separator.isEmpty, limit >= separator.count else {
      let error = SocketError.invalid(
        "a separator of \(separator.count) bytes within \(limit)",
        expected: "at least one byte, within at least as many")
      return failRead(tag, error)
    }
    read(.separator(separator, limit: limit), timeout, buffer, offset, tag)
  }

  func write(_ data: Data, _ timeout: TimeInterval, _ tag: Int) {
    // Nothing is written, and nobody told, as ever.
    guard !data.isEmpty else { return }
    guard let session = state.withLock({ $0.stream }) else { return failWrite(tag, .closed) }
    let operation = WriteOperation(
      data, number: GCDAsyncSocket.nextOperationNumber(), timeout: Duration(limit: timeout),
      tag: tag)
    guard let rest = session.writeAtOnce(operation) else {
      return tell(session.generation, session.home.loop) { delegate, socket in
        delegate.socket(socket, didWriteDataWithTag: tag)
      }
    }
    session.send(.write(rest))
  }

  func secure(_ settings: [String: NSObject]) {
    guard let session = state.withLock({ $0.stream }) else { return }
    do {
      session.send(.startTLS(try TLSSettings(settings).plan(hostName: hostName)))
    } catch {
      session.send(.fail(error))
    }
  }

  private func failRead(_ tag: Int, _ error: SocketError) {
    fail { delegate, socket in
      delegate.socket(socket, didFailReadWithTag: tag, error: error.forDelegate)
    }
  }

  private func failWrite(_ tag: Int, _ error: SocketError) {
    fail { delegate, socket in
      delegate.socket(socket, didFailWriteWithTag: tag, error: error.forDelegate)
    }
  }

  private func fail(_ call: @escaping Call) {
    guard let home = try? SocketLoops.shared.next() else { return }
    tell(state.withLock { $0.generation }, home.loop, call)
  }

  // MARK: On the loop

  func performOnLoop(_ block: () -> Void) {
    switch state.withLock({ $0.phase }) {
    case .idle: block()
    case .connecting(let session), .connected(let session): session.home.loop.sync(block)
    case .listening(let session): session.home.loop.sync(block)
    }
  }

  /// The number of a descriptor, for code that runs on the loop and so cannot be overtaken by its
  /// close.
  func descriptorNumber(_ isWanted: (SocketAddress) -> Bool) -> Int32 {
    switch state.withLock({ $0.phase }) {
    case .idle: return -1
    case .listening(let session):
      guard session.home.loop.isCurrent else { return -1 }
      return session.number(isWanted) ?? -1
    case .connecting(let session), .connected(let session):
      guard session.home.loop.isCurrent, let transport = session.transport, transport.isOpen,
        isWanted(transport.peerAddress)
      else { return -1 }
      return transport.withSocket { $0.number }
    }
  }
}

extension Int {
  /// A length of the original, in which 0 is no limit.
  init(limit: UInt) {
    self = limit == 0 ? .max : Int(clamping: limit)
  }
}
