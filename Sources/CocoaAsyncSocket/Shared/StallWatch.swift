internal import Foundation
internal import Kernel
internal import Reactor

/// Says once on standard error when a delegate's queue runs nothing: most often it is the main
/// queue of a program that never calls `dispatchMain()` and has no run loop.
///
/// It holds one timer while calls wait. Guard of the `@unchecked`: it is used on its loop's thread.
final class StallWatch: TimerHandler, @unchecked Sendable {
  /// How long a call may wait before it is said.
  static let patience = Duration.seconds(5)

  private let queue: CallbackQueue
  private let loop: EventLoop
  private let say: (String) -> Void
  private var complained: Instant?

  init(
    _ queue: CallbackQueue, _ loop: EventLoop, say: @escaping (String) -> Void = StallWatch.print
  ) {
    self.queue = queue
    self.loop = loop
    self.say = say
  }

  func begin() {
    _ = loop.setTimer(at: loop.now + StallWatch.patience, self)
  }

  func timerFired(tag: UInt32) {
    switch queue.look() {
    case .idle: return
    case .running: break
    case .waiting(let since):
      if loop.now - since >= StallWatch.patience, complained != since {
        complained = since
        say(
          "CocoaAsyncSocket: the delegate queue “\(queue.queue.label)” has not run a callback for "
            + "5 s; is it blocked, or the main queue of a program without dispatchMain()?\n")
      }
    }
    begin()
  }

  static func print(_ line: String) {
    FileHandle.standardError.write(Data(line.utf8))
  }
}
