public import Dispatch
internal import Foundation

extension GCDAsyncUdpSocket {
  /// Asks a filter about each datagram before the delegate is told.
  public func setReceiveFilter(
    _ filterBlock: GCDAsyncUdpSocketReceiveFilterBlock?, with filterQueue: DispatchQueue?
  ) {
    unsafe setReceiveFilter(filterBlock, with: filterQueue, isAsynchronous: true)
  }

  /// Asks a filter about each datagram before the delegate is told. It is never waited for on the
  /// loop: a filter that is not asynchronous may use the socket too.
  public func setReceiveFilter(
    _ filterBlock: GCDAsyncUdpSocketReceiveFilterBlock?, with filterQueue: DispatchQueue?,
    isAsynchronous: Bool
  ) {
    var filter: UdpReceiveFilter?
    if let block = unsafe filterBlock, let filterQueue {
      filter = unsafe UdpReceiveFilter(block, filterQueue)
    }
    sync(()) { $0.receiveFilter = filter }
  }
}

/// A filter of the caller's, which is called on its queue only: the guard of the `@unchecked`.
@safe struct UdpReceiveFilter: @unchecked Sendable {
  private let block: GCDAsyncUdpSocketReceiveFilterBlock
  let queue: DispatchQueue

  init(_ block: @escaping GCDAsyncUdpSocketReceiveFilterBlock, _ queue: DispatchQueue) {
    unsafe self.block = block
    self.queue = queue
  }

  /// The arrival with the filter's context, nil when it is not let through.
  func letThrough(_ arrival: UdpArrival) -> UdpArrival? {
    var context: AnyObject?
    guard unsafe block(arrival.data, arrival.address, &context) else { return nil }
    return UdpArrival(data: arrival.data, address: arrival.address, context: context)
  }
}
