internal import Dispatch
internal import Foundation
internal import Kernel
internal import Reactor
internal import Sockets

/// Datagrams that the delegate queue has not run the callback of.
struct UdpBacklog {
  /// At this many the socket is not read: what comes waits in the kernel, and is dropped there.
  static let datagramLimit = 4096
  /// The same for their bytes.
  static let byteLimit = 16 << 20

  private var datagrams = 0
  private var bytes = 0

  var isFull: Bool {
    datagrams >= UdpBacklog.datagramLimit || bytes >= UdpBacklog.byteLimit
  }

  mutating func add(_ datagrams: Int, _ bytes: Int) {
    self.datagrams += datagrams
    self.bytes += bytes
  }
}

/// Receiving:
///
/// 1. the loop says that there is input, or a caller that it is wanted;
/// 2. batches are received until nothing waits, or the turn is over, in a loop that does not call
///    itself;
/// 3. the filter, if there is one, is asked about a batch on its own queue, one batch at a time;
/// 4. what it lets through goes to the delegate in one block.
extension UdpCore {
  /// Batches that one socket receives before others have their turn.
  private static let turnLimit = 8

  func begin(_ receiving: UdpLifecycle.Receiving) throws {
    do {
      try lifecycle.checkReceive()
    } catch {
      throw UdpFailure.refusal(error)
    }
    lifecycle.receiving = receiving
    receive()
  }

  func receive() {
    guard !isReceiving else { return }
    isReceiving = true
    defer { isReceiving = false }
    var turns = UdpCore.turnLimit
    while mayReceive, let channel = channels.first(where: { $0.mayHaveInput }) {
      guard turns > 0 else { return loop.callSoon(self, tag: 0) }
      turns -= 1
      let arrivals = takeBatch(from: channel)
      guard !arrivals.isEmpty else { continue }
      if let receiveFilter {
        ask(receiveFilter, arrivals)
      } else {
        deliver(arrivals)
      }
    }
  }

  private var mayReceive: Bool {
    lifecycle.receiving != .paused && !isFiltering && !undelivered.isFull
  }

  private func takeBatch(from channel: DatagramChannel) -> [UdpArrival] {
    let limit = lifecycle.receiving == .once ? 1 : DatagramScratch.slots
    do throws(Errno) {
      return try scratch.withBatch { (batch) throws(Errno) in
        let count = try channel.receive(into: &batch, limit: limit)
        return admitted(&batch, count)
      }
    } catch {
      // The answer to something sent: the next datagram is told of it, as without receiving.
      if lifecycle.connection == .connected { refusal = error }
      return []
    }
  }

  private func admitted(_ batch: inout DatagramBatch, _ count: Int) -> [UdpArrival] {
    var arrivals: [UdpArrival] = []
    arrivals.reserveCapacity(count)
    for index in 0..<count {
      let header = batch.header(index)
      if let admission, !admission.admits(header) { continue }
      arrivals.append(
        UdpArrival(data: Data(copying: batch.bytes(index)), address: header.source.sockaddr))
    }
    return arrivals
  }

  private func deliver(_ arrivals: [UdpArrival]) {
    if lifecycle.receiving == .once { lifecycle.receiving = .paused }
    let bytes = arrivals.reduce(0) { $0 + $1.data.count }
    let isTold = tell { listener in
      for arrival in arrivals {
        listener.delegate.udpSocket(
          listener.socket, didReceive: arrival.data, fromAddress: arrival.address,
          withFilterContext: arrival.context)
      }
      self.loop.post { self.delivered(arrivals.count, bytes) }
    }
    if isTold { undelivered.add(arrivals.count, bytes) }
  }

  private func delivered(_ count: Int, _ bytes: Int) {
    let wasFull = undelivered.isFull
    undelivered.add(-count, -bytes)
    if wasFull { receive() }
  }

  // MARK: The filter

  private func ask(_ filter: UdpReceiveFilter, _ arrivals: [UdpArrival]) {
    isFiltering = true
    let generation = self.generation
    filter.queue.async {
      let kept = arrivals.compactMap { filter.letThrough($0) }
      self.loop.post { self.filtered(kept, generation) }
    }
  }

  private func filtered(_ kept: [UdpArrival], _ generation: UInt64) {
    guard self.generation == generation else { return }
    isFiltering = false
    // What a pause came in the way of is told all the same: it has been received.
    if !kept.isEmpty { deliver(kept) }
    receive()
  }
}
