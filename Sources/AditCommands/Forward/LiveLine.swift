internal import Kernel
internal import Reactor
internal import Relay

/// The line that a terminal shows while tunnels run: flows, rates and totals, once a second.
///
/// Guard of the `@unchecked`: everything happens on the thread of the loop.
final class LiveLine: TimerHandler, @unchecked Sendable {
  static let interval = Duration.seconds(1)

  private unowned let forwarding: Forwarding
  private var timer: TimerToken?
  private var last: (time: Instant, counters: RelayCounters)?
  private var isStopped = false

  init(_ forwarding: Forwarding) {
    self.forwarding = forwarding
  }

  func start() {
    timer = forwarding.loop.setTimer(
      at: forwarding.loop.now + LiveLine.interval, self)
  }

  func stop() {
    isStopped = true
    if let timer = timer.take() { forwarding.loop.cancel(timer) }
    forwarding.log.showLive(nil)
  }

  func timerFired(tag: UInt32) {
    let loop = forwarding.loop
    forwarding.relay.counters { counters in
      loop.post { self.show(counters) }
    }
  }

  private func show(_ counters: RelayCounters) {
    guard !isStopped else { return }
    let now = forwarding.loop.now
    let elapsed = last.map { now - $0.time } ?? LiveLine.interval
    let before = last?.counters ?? counters
    last = (now, counters)
    let rates = ByteRates(
      flows: forwarding.relay.flowCount, before: before, after: counters, elapsed: elapsed)
    forwarding.log.showLive(rates.text)
    start()
  }
}

/// What moved between two looks at the counters.
struct ByteRates: Hashable, Sendable {
  let flows: Int
  let before: RelayCounters
  let after: RelayCounters
  let elapsed: Duration

  /// `3 flows  up 1.2 MB/s (10.0 MB)  down 0 B/s (2.1 kB)  17 ended`.
  var text: String {
    let up = ByteRates.text(rate(before.bytesUp, after.bytesUp))
    let down = ByteRates.text(rate(before.bytesDown, after.bytesDown))
    return "\(flows) flows  up \(up)/s (\(ByteRates.text(after.bytesUp)))"
      + "  down \(down)/s (\(ByteRates.text(after.bytesDown)))  \(after.ended) ended"
  }

  private func rate(_ before: UInt64, _ after: UInt64) -> UInt64 {
    let milliseconds = max(1, elapsed.wholeNanoseconds / 1_000_000)
    let bytes = after > before ? after - before : 0
    return bytes.multipliedReportingOverflow(by: 1000).partialValue / milliseconds
  }

  /// `0 B`, `999 B`, `1.0 kB`, `12.3 MB`; thousands, as networks are counted.
  static func text(_ bytes: UInt64) -> String {
    guard bytes >= 1000 else { return "\(bytes) B" }
    var scale: UInt64 = 1000
    var units = ["kB", "MB", "GB", "TB", "PB", "EB"][...]
    while bytes / scale >= 1000, units.count > 1 {
      scale *= 1000
      units = units.dropFirst()
    }
    return "\(bytes / scale).\(bytes % scale / (scale / 10)) \(units.first ?? "")"
  }
}
