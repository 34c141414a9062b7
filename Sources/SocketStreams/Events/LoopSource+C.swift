internal import CoreFoundation
internal import Foundation

/// CoreFoundation's run loop behind a `RunLoop`, which does not tell it.
///
/// Guard of the `@unchecked`: CoreFoundation locks its run loops itself.
struct LoopName: @unchecked Sendable {
  fileprivate let loop: CoreFoundation.CFRunLoop

  /// The run loop of this thread.
  static var current: LoopName { LoopName(loop: CoreFoundation.CFRunLoopGetCurrent()) }

  /// The name of a run loop that is the caller's own or the main one; nil for any other.
  static func known(for runLoop: RunLoop) -> LoopName? {
    if runLoop === RunLoop.current { return current }
    if runLoop === RunLoop.main { return LoopName(loop: CoreFoundation.CFRunLoopGetMain()) }
    return nil
  }
}

/// A source of a run loop's events, which a signal from any thread makes run.
///
/// Guard of the `@unchecked`: CoreFoundation locks its sources itself.
final class LoopSource: @unchecked Sendable {
  private let source: CFRunLoopSource

  private final class Work {
    let run: () -> Void

    init(_ run: @escaping () -> Void) {
      self.run = run
    }
  }

  /// Makes a source that runs `work` on the thread of a run loop that it is in.
  init(_ work: @escaping () -> Void) {
    var context = unsafe CFRunLoopSourceContext()
    // The source holds the work: it was retained for it here, and is released with it.
    unsafe context.info = Unmanaged.passRetained(Work(work)).toOpaque()
    unsafe context.release = { info in
      if let info = unsafe info { unsafe Unmanaged<Work>.fromOpaque(info).release() }
    }
    unsafe context.perform = { info in
      guard let info = unsafe info else { return }
      unsafe Unmanaged<Work>.fromOpaque(info).takeUnretainedValue().run()
    }
    source = unsafe CFRunLoopSourceCreate(nil, 0, &context)
  }

  deinit {
    CFRunLoopSourceInvalidate(source)
  }

  func add(to name: LoopName, _ mode: RunLoop.Mode) {
    CFRunLoopAddSource(name.loop, source, LoopSource.name(of: mode))
  }

  func remove(from name: LoopName, _ mode: RunLoop.Mode) {
    CFRunLoopRemoveSource(name.loop, source, LoopSource.name(of: mode))
  }

  /// Takes it out of every run loop.
  func invalidate() {
    CFRunLoopSourceInvalidate(source)
  }

  /// Makes the work run, and wakes the run loops that may sleep.
  func signal(_ loops: [LoopName]) {
    CFRunLoopSourceSignal(source)
    for name in loops { CFRunLoopWakeUp(name.loop) }
  }
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
