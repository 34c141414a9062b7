internal import CKernel
internal import Glibc

// What a relay needs of a batch beside receiving and sending it whole: receiving behind what is
// there, telling clients apart, and sending a part through another socket, all without a copy.

/// Who sent a datagram to whom, as plain numbers that are compared and hashed without a detour.
public struct DatagramOrigin: Hashable, Sendable {
  /// The sender's address; IPv4 in the lower 32 bits.
  public let source: (UInt64, UInt64)
  /// This machine's address that was asked, in the same form.
  public let asked: (UInt64, UInt64)
  /// The sender's port, the family and the interface of a link-local address.
  public let details: UInt64

  init(_ datagram: UnsafeMutablePointer<adit_datagram>) {
    let family = unsafe Int32(datagram.pointee.peer.ss_family)
    var words: (UInt64, UInt64) = (0, 0)
    var port: UInt16 = 0
    var scope: UInt32 = 0
    unsafe withUnsafeBytes(of: &datagram.pointee.peer) { bytes in
      port = unsafe bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self)
      if family == AF_INET6 {
        unsafe words.0 = bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        unsafe words.1 = bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
        scope = unsafe bytes.loadUnaligned(fromByteOffset: 24, as: UInt32.self)
      } else {
        unsafe words.1 = UInt64(bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
      }
    }
    source = words
    asked = unsafe withUnsafeBytes(of: &datagram.pointee.local) { bytes in
      if family == AF_INET6 {
        return unsafe (
          bytes.loadUnaligned(as: UInt64.self),
          bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        )
      }
      return unsafe (0, UInt64(bytes.loadUnaligned(as: UInt32.self)))
    }
    details = UInt64(port) | (family == AF_INET6 ? 1 << 16 : 0) | UInt64(scope) << 32
  }

  /// True when both have the same numbers.
  public static func == (left: DatagramOrigin, right: DatagramOrigin) -> Bool {
    left.source == right.source && left.asked == right.asked && left.details == right.details
  }

  /// Feeds all numbers.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(source.0)
    hasher.combine(source.1)
    hasher.combine(asked.0)
    hasher.combine(asked.1)
    hasher.combine(details)
  }
}

/// Where datagrams go and which address of this machine they come from, in the kernel's form.
@safe public struct DatagramRoute: Sendable {
  fileprivate var datagram = adit_datagram()

  /// To `destination`, nil for the connected peer, from `source`, nil where the kernel chooses.
  public init(to destination: SocketAddress?, from source: IPAddress?) {
    datagram.address(to: destination, from: source, interface: 0)
  }
}

/// How far a part of a batch was sent.
public enum DatagramProgress: Sendable {
  /// All of it.
  case all
  /// Up to this slot, which and all behind it did not fit the socket.
  case full(at: Int)
  /// Up to this slot, which was refused.
  case failed(at: Int, Errno)
}

extension DatagramBatch {
  /// Slots that are free behind what is there.
  public var room: Int { capacity - count }

  /// Receives up to `limit` datagrams behind those in the batch; 0 when none waits.
  public mutating func receiveMore(
    from socket: borrowing Descriptor, limit: Int
  ) throws(Errno) -> Int {
    let limit = min(limit, capacity - count)
    guard limit > 0 else { return 0 }
    let result = unsafe adit_batch_receive(batch, socket.number, Int32(count), Int32(limit))
    if -result == EAGAIN { return 0 }
    let received = Int(try check(result))
    count += received
    return received
  }

  /// Who sent a datagram to whom.
  public func origin(_ index: Int) -> DatagramOrigin {
    checkIndex(index)
    return unsafe DatagramOrigin(adit_batch_datagram(batch, Int32(index)))
  }

  /// The bytes of a slot, how many datagrams the kernel has joined there, and whether it was cut.
  public func extent(_ index: Int) -> (bytes: Int, datagrams: Int, isTruncated: Bool) {
    checkIndex(index)
    let datagram = unsafe adit_batch_datagram(batch, Int32(index)).unsafelyUnwrapped
    let length = unsafe datagram.pointee.length
    let segment = unsafe datagram.pointee.segment_size
    let isTruncated = unsafe datagram.pointee.full_length > length
    guard segment > 0, length > segment else { return (Int(length), 1, isTruncated) }
    return (Int(length), Int((length + segment - 1) / segment), isTruncated)
  }

  /// Datagrams that the socket has dropped so far for want of room, nil when that is not told.
  public func drops(_ index: Int) -> UInt32? {
    checkIndex(index)
    let datagram = unsafe adit_batch_datagram(batch, Int32(index)).unsafelyUnwrapped
    return unsafe datagram.pointee.has_drops == 0 ? nil : datagram.pointee.drops
  }

  /// Gives a received datagram a way to go.
  public mutating func route(_ index: Int, by route: DatagramRoute) {
    checkIndex(index)
    let datagram = unsafe adit_batch_datagram(batch, Int32(index)).unsafelyUnwrapped
    unsafe datagram.pointee.peer_length = route.datagram.peer_length
    if route.datagram.peer_length > 0 { unsafe datagram.pointee.peer = route.datagram.peer }
    unsafe datagram.pointee.local_family = route.datagram.local_family
    unsafe datagram.pointee.local = route.datagram.local
    unsafe datagram.pointee.interface = route.datagram.interface
  }

  /// Sends the slots of `range`, those of one size and way joined up to `longestSegment` bytes
  /// each, which is lowered where the kernel refuses to.
  public mutating func send(
    _ range: Range<Int>, through socket: borrowing Descriptor, longestSegment: inout UInt32
  ) -> DatagramProgress {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "no such datagrams")
    var next = range.lowerBound
    while next < range.upperBound {
      let result = unsafe adit_batch_send(
        batch, socket.number, Int32(next), Int32(range.upperBound), &longestSegment)
      if -result == EAGAIN { return .full(at: next) }
      if result < 0 { return .failed(at: next, Errno(rawValue: -result)) }
      next += Int(result)
    }
    return .all
  }

  /// Sends the joined datagrams of a slot one by one; how many were sent.
  public func sendApart(
    _ index: Int, by route: DatagramRoute, through socket: borrowing Descriptor
  ) -> Int {
    checkIndex(index)
    let datagram = unsafe adit_batch_datagram(batch, Int32(index)).unsafelyUnwrapped
    let payload = unsafe adit_batch_payload(batch, Int32(index)).unsafelyUnwrapped
    var way = route.datagram
    let length = unsafe Int(datagram.pointee.length)
    let segment = unsafe Int(datagram.pointee.segment_size)
    guard segment > 0 else { return 0 }
    var sent = 0
    for start in stride(from: 0, to: length, by: segment) {
      let size = min(segment, length - start)
      if unsafe adit_datagram_send(socket.number, payload + start, size, &way) == 0 { sent += 1 }
    }
    return sent
  }
}
