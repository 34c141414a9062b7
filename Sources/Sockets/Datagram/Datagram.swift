public import Kernel

/// One datagram that was received.
public struct Datagram: Hashable, Sendable {
  /// Its bytes; there may be none.
  public var bytes: [UInt8]
  /// Where it came from.
  public var source: SocketAddress
  /// The address of this machine, or the group, that it was sent to; nil where the socket does not
  /// tell.
  public var destination: IPAddress?
  /// The interface that it came in through, 0 where the socket does not tell.
  public var interface: UInt32
  /// True when it had more bytes than are here.
  public var isTruncated: Bool
  /// The type of service or traffic class, with its two bits of ECN; 0 unless asked for.
  public var trafficClass: UInt8

  /// Takes a part of a datagram of a batch out: all of it, or one of those the kernel has joined.
  package init(_ header: DatagramHeader, _ bytes: RawSpan) {
    self.bytes = []
    self.bytes.append(bytes)
    source = header.source.unmapped
    destination = header.destination?.unmapped
    interface = header.interface
    isTruncated = header.isTruncated
    trafficClass = header.trafficClass
  }
}

/// What a datagram socket has done so far.
public struct DatagramCounters: Hashable, Sendable {
  /// Datagrams received.
  public var datagramsReceived: UInt64 = 0
  /// Their bytes.
  public var bytesReceived: UInt64 = 0
  /// Datagrams that the kernel has taken.
  public var datagramsSent: UInt64 = 0
  /// Their bytes.
  public var bytesSent: UInt64 = 0
  /// Datagrams that the kernel dropped since the receive buffer was full.
  public var drops: UInt64 = 0
  /// Datagrams that were longer than the room for them.
  public var truncations: UInt64 = 0
  /// Operations that ended in an error of the network.
  public var errors: UInt64 = 0

  /// Nothing done yet.
  public init() {}
}
