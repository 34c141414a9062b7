internal import Foundation
internal import Kernel

/// What threads share of a `GCDAsyncSocket`, behind its lock.
struct SocketState {
  /// What the socket is doing.
  enum Phase {
    case idle
    case listening(ListenSession)
    case connecting(StreamSession)
    case connected(StreamSession)
  }

  /// A connection that has ended, and of which the delegate has not been told.
  struct Ending {
    let generation: UInt64
    let error: (any Error)?
  }

  weak var delegate: (any GCDAsyncSocketDelegate)?
  var callbacks: CallbackQueue?
  var options = SocketOptions()
  var userData: Any?
  var phase = Phase.idle
  /// Counts connections, so that nothing is told of one when another has begun.
  var generation: UInt64 = 0
  var ending: Ending?
  var remote: SocketAddress?
  var locals: [SocketAddress] = []
  var isSecure = false
  /// The host's name as it was given to connect to.
  var hostName: String?

  /// The connection.
  var stream: StreamSession? {
    switch phase {
    case .connecting(let session), .connected(let session): session
    case .idle, .listening: nil
    }
  }

  /// Back to the beginning; the end is still to be told.
  mutating func end(_ error: (any Error)?) {
    phase = .idle
    ending = Ending(generation: generation, error: error)
    remote = nil
    locals = []
    isSecure = false
  }
}

/// The settings of a socket.
struct SocketOptions {
  var usesIPv4 = true
  var usesIPv6 = true
  var prefersIPv4 = true
  var alternateAddressDelay: TimeInterval = 0.3
  var disconnectsOnEndOfStream = true
  var disconnectsOnReadTimeout = true
  var highWaterMark = 1_048_576
}

extension Duration {
  /// A time in seconds as callers write it: nil, no limit, for what is negative, no number or
  /// longer than anybody lives.
  init?(limit seconds: TimeInterval) {
    guard seconds >= 0, seconds < 4e9 else { return nil }
    self = .nanoseconds(Int64(seconds * 1e9))
  }

  /// Seconds.
  var seconds: TimeInterval { TimeInterval(wholeNanoseconds) / 1e9 }
}
