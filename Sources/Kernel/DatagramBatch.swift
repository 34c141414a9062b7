internal import CKernel
internal import Glibc

/// Datagrams in fixed slots, received or sent by one call of the kernel.
///
/// All memory is taken when the batch is made, and pages of it only as they are used: receiving and
/// sending allocate nothing. It has one owner, the guard of the `@unchecked Sendable`.
@safe public struct DatagramBatch: ~Copyable, @unchecked Sendable {
  /// Bytes of a slot that cuts no datagram of UDP.
  public static let wholeSlot = 65_536
  /// Slots that one batch has at most: the kernel takes no more in one call.
  public static let slotLimit = 1024

  let batch: OpaquePointer
  /// Slots in all.
  public let capacity: Int
  /// Bytes of each slot.
  public let slotSize: Int
  /// Datagrams in the batch: received by the last call, or put in to be sent.
  public internal(set) var count = 0
  /// Of those to be sent, how many are done with: sent, or skipped.
  public private(set) var sentCount = 0

  /// Makes an empty batch of 1 to `slotLimit` slots.
  public init(capacity: Int, slotSize: Int = DatagramBatch.wholeSlot) throws(Errno) {
    precondition(capacity >= 1 && capacity <= DatagramBatch.slotLimit, "1 to 1024 slots")
    precondition(slotSize >= 1 && slotSize <= DatagramBatch.wholeSlot, "1 to 65536 bytes a slot")
    guard let batch = unsafe adit_batch_create(Int32(capacity), slotSize) else {
      throw .outOfMemory
    }
    unsafe self.batch = batch
    self.capacity = capacity
    self.slotSize = slotSize
  }

  deinit {
    unsafe adit_batch_destroy(batch)
  }

  /// Takes all datagrams out.
  public mutating func removeAll() {
    count = 0
    sentCount = 0
  }

  /// Gives the memory of the bytes back to the kernel, and takes all datagrams out.
  public mutating func trim() {
    removeAll()
    unsafe adit_batch_forget(batch)
  }

  // MARK: Receiving

  /// Receives up to `limit` datagrams that wait, in the place of those in the batch; 0 when none
  /// waits.
  @discardableResult
  public mutating func receive(
    from socket: borrowing Descriptor, limit: Int = DatagramBatch.slotLimit
  ) throws(Errno) -> Int {
    removeAll()
    let limit = Int32(min(max(limit, 1), capacity))
    let result = unsafe adit_batch_receive(batch, socket.number, 0, limit)
    if -result == EAGAIN { return 0 }
    count = Int(try check(result))
    return count
  }

  /// What the kernel tells of a datagram.
  public func header(_ index: Int) -> DatagramHeader {
    checkIndex(index)
    return unsafe DatagramHeader(adit_batch_datagram(batch, Int32(index)))
  }

  /// The bytes of a datagram.
  @_lifetime(borrow self)
  public func bytes(_ index: Int) -> RawSpan {
    checkIndex(index)
    let length = unsafe Int(adit_batch_datagram(batch, Int32(index)).pointee.length)
    let start = unsafe adit_batch_payload(batch, Int32(index)).unsafelyUnwrapped
    let span = unsafe RawSpan(_unsafeStart: UnsafeRawPointer(start), byteCount: length)
    return unsafe _overrideLifetime(span, borrowing: self)
  }

  func checkIndex(_ index: Int) {
    precondition(index >= 0 && index < count, "no such datagram in the batch")
  }

  // MARK: Sending

  /// Puts a datagram in; false when the batch is full or the bytes do not fit a slot.
  ///
  /// Without a destination it goes to the peer that the socket is connected to. `source` is the
  /// address of this machine that it comes from, `interface` the one it goes out by: with 0 the
  /// kernel chooses.
  @discardableResult
  public mutating func append(
    _ bytes: RawSpan, to destination: SocketAddress? = nil, from source: IPAddress? = nil,
    interface: UInt32 = 0
  ) -> Bool {
    if sentCount > 0, sentCount == count { removeAll() }
    precondition(sentCount == 0, "datagrams are put in before the first is sent")
    guard count < capacity, bytes.byteCount <= slotSize else { return false }
    let datagram = unsafe adit_batch_datagram(batch, Int32(count)).unsafelyUnwrapped
    unsafe datagram.pointee.address(to: destination, from: source, interface: interface)
    unsafe datagram.pointee.length = UInt32(bytes.byteCount)
    unsafe datagram.pointee.segment_size = 0
    let payload = unsafe adit_batch_payload(batch, Int32(count)).unsafelyUnwrapped
    unsafe bytes.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return }
      unsafe payload.copyMemory(from: start, byteCount: bytes.count)
    }
    count += 1
    return true
  }

  /// Gives a received datagram a destination, so that the batch can be sent as it is.
  public mutating func readdress(
    _ index: Int, to destination: SocketAddress?, from source: IPAddress? = nil,
    interface: UInt32 = 0
  ) {
    checkIndex(index)
    let datagram = unsafe adit_batch_datagram(batch, Int32(index)).unsafelyUnwrapped
    unsafe datagram.pointee.address(to: destination, from: source, interface: interface)
  }

  /// Sends what has not been sent, until the socket has no room: true when nothing is left.
  ///
  /// With `joins`, datagrams of one size to one place go to the kernel as one and are cut by it
  /// (UDP_SEGMENT); they arrive as they would otherwise. An error is that of the first datagram not
  /// sent, `sentCount`; after `skip` the others can be sent.
  public mutating func send(
    through socket: borrowing Descriptor, joins: Bool = false
  ) throws(Errno) -> Bool {
    var longest: UInt32 = joins ? .max : 0
    while sentCount < count {
      let result = unsafe adit_batch_send(
        batch, socket.number, Int32(sentCount), Int32(count), &longest)
      if -result == EAGAIN { return false }
      sentCount += Int(try check(result))
    }
    return true
  }

  /// Leaves out the first datagram that was not sent.
  public mutating func skip() {
    precondition(sentCount < count, "no datagram is left to be skipped")
    sentCount += 1
  }

  /// Bytes of the datagrams from `start` up to `end`.
  public func byteCount(from start: Int, to end: Int) -> Int {
    precondition(start >= 0 && start <= end && end <= count, "no such datagrams in the batch")
    return (start..<end).reduce(0) { sum, index in
      unsafe sum + Int(adit_batch_datagram(batch, Int32(index)).pointee.length)
    }
  }
}
