internal import Kernel
internal import Reactor

/// Accepts connections and moves each visit on when its connection is ready.
final class PageServer: EventHandler, TimerHandler {
  /// Visits at a time; one more is closed at once.
  private static let visitLimit = 256
  /// How long a visit may take: browsers open connections that they may never use.
  private static let visitSeconds = 10
  private static let backlog: Int32 = 128
  private static let listenerTag: UInt32 = 0

  private let loop: EventLoop
  private let listener: Descriptor
  private var visits: [UInt32: Visit] = [:]
  private var lastNumber: UInt32 = 0
  private var answers = 0
  /// Where the page is.
  let address: SocketAddress

  init(on loop: EventLoop) throws(Errno) {
    self.loop = loop
    let wanted = SocketAddress.ip(.loopback4, port: 0)
    listener = try Descriptor.streamSocket(for: wanted)
    try listener.bind(to: wanted)
    try listener.listen(backlog: PageServer.backlog)
    address = try listener.localAddress()
    _ = try loop.watch(listener, self, tag: PageServer.listenerTag, for: [.readable])
  }

  func handle(_ readiness: Readiness, tag: UInt32) {
    guard tag != PageServer.listenerTag else { return acceptOne() }
    guard let visit = visits[tag] else { return }
    // Whatever goes wrong with a visit ends that visit.
    let isOver = (try? visit.advance(answer: nextAnswer)) ?? true
    if isOver { end(tag) }
  }

  func timerFired(tag: UInt32) {
    end(tag)
  }

  private func acceptOne() {
    guard let accepted = try? listener.accept(), visits.count < PageServer.visitLimit else {
      return
    }
    lastNumber = lastNumber == .max ? 1 : lastNumber + 1
    let tag = lastNumber
    let visit = Visit(accepted)
    guard let registration = try? loop.watch(visit.connection, self, tag: tag) else { return }
    visit.registration = registration
    visit.timer = loop.setTimer(
      at: loop.now + .seconds(PageServer.visitSeconds), self, tag: tag)
    visits[tag] = visit
  }

  private func nextAnswer() -> [UInt8] {
    answers += 1
    return Page.answer(answers)
  }

  private func end(_ tag: UInt32) {
    guard let visit = visits.removeValue(forKey: tag) else { return }
    visit.registration.map(loop.forget)
    visit.timer.map(loop.cancel)
  }
}
