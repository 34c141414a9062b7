/// What a relay has done since it was made. Sums of plain numbers that each loop keeps for itself.
public struct RelayCounters: Hashable, Sendable {
  /// Connections accepted.
  public var accepted: UInt64 = 0
  /// Flows ended, for whatever reason.
  public var ended: UInt64 = 0
  /// Flows that no target could be reached for.
  public var unreachable: UInt64 = 0
  /// Flows that ended with a reset of one side or a limit.
  public var reset: UInt64 = 0
  /// Bytes written to targets by flows that have ended.
  public var bytesUp: UInt64 = 0
  /// Bytes written to clients by flows that have ended.
  public var bytesDown: UInt64 = 0
  /// Bytes received that could not be delivered.
  public var bytesLost: UInt64 = 0
  /// Times a listener paused.
  public var acceptPauses: UInt64 = 0
  /// Connections that failed before they could be accepted.
  public var acceptErrors: UInt64 = 0
  /// Times bulk bytes were copied because no pipe could be had.
  public var pipeRefusals: UInt64 = 0
  /// Times bytes stayed in the socket because no buffer could be had.
  public var bufferRefusals: UInt64 = 0
  /// What was done with datagrams.
  public var datagrams = DatagramCounters()
  /// FTP: connections to data listeners from hosts that they were not for.
  public var ftpStrangers: UInt64 = 0
  /// FTP: data listeners that nobody came to in time.
  public var ftpExpired: UInt64 = 0
  /// FTP: data connections for which no port, descriptor or place was free.
  public var ftpNoPort: UInt64 = 0
  /// FTP: commands and ports that were refused.
  public var ftpRefusals: UInt64 = 0
  /// FTP: lines too long to be looked at.
  public var ftpLongLines: UInt64 = 0
  /// FTP: times that commands and replies were out of step.
  public var ftpLostSteps: UInt64 = 0

  /// Nothing done yet.
  public init() {}

  /// Adds another loop's numbers.
  public static func += (sum: inout RelayCounters, part: RelayCounters) {
    sum.accepted += part.accepted
    sum.ended += part.ended
    sum.unreachable += part.unreachable
    sum.reset += part.reset
    sum.bytesUp += part.bytesUp
    sum.bytesDown += part.bytesDown
    sum.bytesLost += part.bytesLost
    sum.acceptPauses += part.acceptPauses
    sum.acceptErrors += part.acceptErrors
    sum.pipeRefusals += part.pipeRefusals
    sum.bufferRefusals += part.bufferRefusals
    sum.datagrams += part.datagrams
    sum.ftpStrangers += part.ftpStrangers
    sum.ftpExpired += part.ftpExpired
    sum.ftpNoPort += part.ftpNoPort
    sum.ftpRefusals += part.ftpRefusals
    sum.ftpLongLines += part.ftpLongLines
    sum.ftpLostSteps += part.ftpLostSteps
  }
}
