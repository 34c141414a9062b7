internal import Foundation
internal import Kernel

/// What the threads that use a pair of streams and its loop share.
struct LinkState {
  var rules: PairRules
  /// Read ahead and not yet asked for; for a bound pair, written and not yet read.
  var incoming = ByteStore()
  /// Written and not yet taken by the loop.
  var outgoing = ByteStore()
  var settings: StreamSettings
  /// What is known of the connection while there is one.
  var facts = ConnectionFacts()
  var driver: LinkDriver?
}
