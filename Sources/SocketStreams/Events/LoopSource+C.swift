internal import CoreFoundation
internal import Foundation
internal import Kernel

/// CoreFoundation's run loop behind a `RunLoop`, which does not tell it.
///
/// Guard of the `@unchecked`: CoreFoundation locks its run loops itself.
struct LoopName: @unchecked Sendable {
  fileprivate let loop: CoreFoundation.CFRunLoop

  /// Tells it from every other.
  fileprivate var identity: UInt {
    unsafe UInt(bitPattern: Unmanaged.passUnretained(loop).toOpaque())
  }

  /// The run loop of this thread.
  static var current: LoopName { LoopName(loop: CoreFoundation.CFRunLoopGetCurrent()) }

  /// The name of a run loop that is the caller's own or the main one; nil for any other.
  static func known(for runLoop: RunLoop) -> LoopName? {
    if runLoop === RunLoop.current { return current }
    if runLoop === RunLoop.main { return LoopName(loop: CoreFoundation.CFRunLoopGetMain()) }
    return nil
  }
}

/// What the streams in one mode of one run loop have in common: a source of events, which a signal
/// from any thread makes run.
///
/// One for all of them, since CoreFoundation looks at every source of a mode, and sorts them, in
/// each turn of the loop. It is in the run loop as long as it has members, and no longer: a run
/// loop without sources returns.
///
/// Guard of the `@unchecked`: the lock of all sources; CoreFoundation locks its own.
final class LoopSource: @unchecked Sendable {
  private struct Key: Hashable {
    let loop: UInt
    let mode: RunLoop.Mode
  }

  private static let all = Lock<[Key: LoopSource]>([:])

  private let key: Key
  private let name: LoopName
  private var source: CFRunLoopSource?
  private var memberCount = 0
  /// Who has something to tell, in order.
  private var pending: [LoopMember] = []

  /// Has `work` run on the thread of a run loop in a mode whenever the member is signalled.
  static func join(
    _ name: LoopName, _ mode: RunLoop.Mode, _ work: @escaping () -> Void
  ) -> LoopMember {
    all.withLock { all in
      let key = Key(loop: name.identity, mode: mode)
      let source = all[key] ?? LoopSource(name, key)
      all[key] = source
      source.memberCount += 1
      return LoopMember(source, work)
    }
  }

  private init(_ name: LoopName, _ key: Key) {
    self.name = name
    self.key = key
    var context = unsafe CFRunLoopSourceContext()
    // The source holds this object until it is invalidated, when the last member leaves.
    unsafe context.info = Unmanaged.passRetained(self).toOpaque()
    unsafe context.release = { info in
      if let info = unsafe info { unsafe Unmanaged<LoopSource>.fromOpaque(info).release() }
    }
    unsafe context.perform = { info in
      guard let info = unsafe info else { return }
      unsafe Unmanaged<LoopSource>.fromOpaque(info).takeUnretainedValue().run()
    }
    source = unsafe CFRunLoopSourceCreate(nil, 0, &context)
    CFRunLoopAddSource(name.loop, source, LoopSource.name(of: key.mode))
  }

  /// A member has something to tell.
  fileprivate func signal(_ member: LoopMember) {
    LoopSource.all.withLock { _ in
      guard let source, !member.isPending, member.work != nil else { return }
      member.isPending = true
      pending.append(member)
      // The others have woken the loop, which has not come to them yet.
      guard pending.count == 1 else { return }
      CFRunLoopSourceSignal(source)
      CFRunLoopWakeUp(name.loop)
    }
  }

  /// Runs the work of those who are pending now, on the run loop's thread.
  private func run() {
    var left = LoopSource.all.withLock { _ in pending.count }
    while left > 0, let work = next() {
      left -= 1
      work()
    }
  }

  /// One at a time, and the rest signalled anew: the work may run the loop itself, and wait there
  /// for what another member is about to be told.
  private func next() -> (() -> Void)? {
    LoopSource.all.withLock { _ in
      guard !pending.isEmpty else { return nil }
      let member = pending.removeFirst()
      member.isPending = false
      if let source, !pending.isEmpty { CFRunLoopSourceSignal(source) }
      return member.work ?? {}
    }
  }

  /// A member is in the run loop's mode no more.
  fileprivate func leave(_ member: LoopMember) {
    let ended = LoopSource.all.withLock { all -> CFRunLoopSource? in
      guard member.work != nil else { return nil }
      member.work = nil
      memberCount -= 1
      guard memberCount == 0 else { return nil }
      all[key] = nil
      return source.take()
    }
    // It lets go of this object.
    if let ended { CFRunLoopSourceInvalidate(ended) }
  }
}

/// A stream in one mode of one run loop.
///
/// Guard of the `@unchecked`: the lock of all sources.
final class LoopMember: @unchecked Sendable {
  private let source: LoopSource
  /// Nil when the stream has left.
  fileprivate var work: (() -> Void)?
  fileprivate var isPending = false

  fileprivate init(_ source: LoopSource, _ work: @escaping () -> Void) {
    self.source = source
    self.work = work
  }

  /// Makes the work run, and wakes the run loop where it may sleep.
  func signal() { source.signal(self) }

  /// Leaves: the work does not begin any more.
  func leave() { source.leave(self) }
}

extension LoopSource {
  /// CoreFoundation knows its own common modes by the very constant.
  private static func name(of mode: RunLoop.Mode) -> CoreFoundation.CFRunLoopMode? {
    switch mode {
    case .common: return CoreFoundation.kCFRunLoopCommonModes
    case .default: return CoreFoundation.kCFRunLoopDefaultMode
    default:
      // The text is C's for as long as the call lasts.
      return unsafe CFStringCreateWithCString(
        nil, mode.rawValue, CFStringBuiltInEncodings.UTF8.rawValue)
    }
  }
}
