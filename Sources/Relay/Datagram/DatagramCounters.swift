/// What a datagram relay has done. Sums of plain numbers that each loop keeps for itself.
public struct DatagramCounters: Hashable, Sendable {
  /// Sessions begun.
  public var sessionsBegun: UInt64 = 0
  /// Sessions ended, for whatever reason.
  public var sessionsEnded: UInt64 = 0
  /// Sessions ended so that another could begin.
  public var sessionsEvicted: UInt64 = 0
  /// Sessions moved to another address of their targets.
  public var sessionsMoved: UInt64 = 0
  /// Datagrams sent to targets.
  public var up: UInt64 = 0
  /// Datagrams sent to clients.
  public var down: UInt64 = 0
  /// Datagrams dropped that did not come whole.
  public var droppedTruncated: UInt64 = 0
  /// Datagrams dropped that the other side's family or path cannot carry.
  public var droppedTooLarge: UInt64 = 0
  /// Datagrams dropped because a socket had no room.
  public var droppedFull: UInt64 = 0
  /// Datagrams dropped because too many waited for a name.
  public var droppedWaiting: UInt64 = 0
  /// Datagrams dropped because no session could begin: a limit, no target, or a closed listener.
  public var droppedRefused: UInt64 = 0
  /// Datagrams dropped because the kernel refused to send them.
  public var droppedError: UInt64 = 0
  /// Datagrams that the kernel dropped because a receive buffer was full.
  public var droppedByKernel: UInt64 = 0
  /// Errors that a network or host reported, cleared before the datagram was sent once more.
  public var errorsCleared: UInt64 = 0
  /// Times that the kernel did not cut joined datagrams; they went one by one.
  public var joinsRefused: UInt64 = 0

  /// Nothing done yet.
  public init() {}

  static func += (sum: inout DatagramCounters, part: DatagramCounters) {
    sum.sessionsBegun += part.sessionsBegun
    sum.sessionsEnded += part.sessionsEnded
    sum.sessionsEvicted += part.sessionsEvicted
    sum.sessionsMoved += part.sessionsMoved
    sum.up += part.up
    sum.down += part.down
    sum.droppedTruncated += part.droppedTruncated
    sum.droppedTooLarge += part.droppedTooLarge
    sum.droppedFull += part.droppedFull
    sum.droppedWaiting += part.droppedWaiting
    sum.droppedRefused += part.droppedRefused
    sum.droppedError += part.droppedError
    sum.droppedByKernel += part.droppedByKernel
    sum.errorsCleared += part.errorsCleared
    sum.joinsRefused += part.joinsRefused
  }
}
