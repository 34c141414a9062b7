internal import Foundation
internal import Kernel
internal import Reactor
internal import Sockets

/// What connections tell, and what of it reaches the delegate.
extension GCDAsyncSocket {
  typealias Call = (any GCDAsyncSocketDelegate, GCDAsyncSocket) -> Void

  /// Queues a call to the delegate that is made if the connection is still the socket's last.
  func tell(_ generation: UInt64, _ loop: EventLoop, _ call: @escaping Call) {
    _ = ask(generation, loop, call)
  }

  /// The same; false where there is nobody to call.
  func ask(_ generation: UInt64, _ loop: EventLoop, _ call: @escaping Call) -> Bool {
    let (delegate, callbacks) = state.withLock { ($0.delegate, $0.callbacks) }
    guard let delegate, let callbacks else { return false }
    callbacks.append(watchedBy: loop) {
      guard self.state.withLock({ $0.generation }) == generation else { return }
      call(delegate, self)
    }
    return true
  }

  /// Queues the end of a connection, once.
  func tellEnd(of generation: UInt64, _ loop: EventLoop) {
    let told: (any GCDAsyncSocketDelegate, CallbackQueue, (any Error)?)? = state.withLock { state in
      guard let ending = state.ending, ending.generation == generation else { return nil }
      state.ending = nil
      guard let delegate = state.delegate, let callbacks = state.callbacks else { return nil }
      return (delegate, callbacks, ending.error)
    }
    guard let (delegate, callbacks, error) = told else { return }
    callbacks.append(watchedBy: loop) {
      delegate.socketDidDisconnect(self, withError: error)
    }
  }

  // MARK: From the connection

  /// The connection stands. False when the socket has let go of it.
  func opened(_ session: StreamSession, remote: SocketAddress, local: SocketAddress?) -> Bool {
    state.withLock { state in
      guard state.stream === session else { return false }
      state.phase = .connected(session)
      state.remote = remote
      state.locals = local.map { [$0] } ?? []
      return true
    }
  }

  /// TLS is in force.
  func secured(_ session: StreamSession) {
    state.withLock { state in
      if state.stream === session { state.isSecure = true }
    }
  }

  /// The connection has ended. False when the socket has let go of it before.
  func ended(_ session: StreamSession, _ error: (any Error)?) -> Bool {
    state.withLock { state in
      guard state.stream === session else { return false }
      state.end(error)
      return true
    }
  }

  // MARK: From the owner

  /// Lets go of the connection, and has it closed.
  func end(_ command: () -> SessionCommand) {
    let phase = state.withLock { state in
      defer { if !state.isIdle { state.end(nil) } }
      return state.phase
    }
    switch phase {
    case .idle: return
    case .connecting(let session), .connected(let session): session.send(command())
    case .listening(let session):
      // The port is free when the caller goes on.
      session.home.loop.sync { session.close() }
      tellEnd(of: session.generation, session.home.loop)
    }
  }

  func endAfter(reading: Bool, writing: Bool) {
    state.withLock { $0.stream }?.send(.endAfter(reading: reading, writing: writing, self))
  }

  /// Nobody has the socket any more.
  func abandon() {
    switch state.withLock({ $0.phase }) {
    case .idle: return
    case .connecting(let session), .connected(let session): session.send(.abandon)
    case .listening(let session): session.home.loop.post { session.close() }
    }
  }
}
