internal import Foundation
internal import Kernel

/// What the threads that use a pair of streams and its loop share.
struct LinkState {
  var rules: PairRules
  /// Read ahead and not yet asked for; for a bound pair, written and not yet read.
  var incoming = ByteStore()
  /// Written and not yet taken by the loop.
  var outgoing = ByteStore()
  /// There while TLS has been asked for on a connection in clear and has not begun.
  var change: ChangeToTLS?
  var settings: StreamSettings
  /// What is known of the connection while there is one.
  var facts = ConnectionFacts()
  var driver: LinkDriver?
}

/// Bytes on both sides of the moment in which TLS was asked for.
struct ChangeToTLS {
  /// Written before: it goes out first, and nothing else does.
  var lastInClear: ByteStore
  /// Read and not yet asked for, or read since: it belongs to TLS.
  var early: ByteStore
}

extension LinkState {
  /// TLS is to begin here: what is written from now on goes out under it, and what was not read yet
  /// is read through it.
  mutating func beginTLS() {
    rules.withdrawInput()
    change = ChangeToTLS(lastInClear: outgoing.takeAll(), early: incoming.takeAll())
  }

  /// What is to be sent next.
  mutating func takeOutgoing() -> ByteStore {
    rules.takesQueue()
    return change?.lastInClear.takeAll() ?? outgoing.takeAll()
  }

  /// Takes over what was read.
  mutating func take(_ bytes: RawSpan) -> PairEffects {
    if change != nil {
      change?.early.append(bytes)
      return []
    }
    guard rules.input.phase != .closed else { return [] }
    incoming.append(bytes)
    return rules.arrived(bytes.byteCount)
  }
}
