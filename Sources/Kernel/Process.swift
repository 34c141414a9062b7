internal import CKernel
internal import Glibc

/// Limits of this process and what the machine gives it.
public enum ProcessLimits {
  /// Raises the soft descriptor limit to the hard one and returns the limit in force.
  public static func raiseDescriptorLimit() throws(Errno) -> Int {
    try check(adit_raise_descriptor_limit())
  }

  /// Processors that this process may run on.
  public static var processorCount: Int {
    Int(adit_processor_count())
  }
}

/// A thread of the operating system. Signals are blocked in it.
public struct KernelThread: Sendable {
  private let handle: pthread_t

  /// Starts a thread that runs `body`; `name` is cut at 15 bytes.
  public init(name: String, body: @escaping @Sendable () -> Void) throws(Errno) {
    var handle = pthread_t()
    let context = unsafe Unmanaged.passRetained(ThreadBody(body))
    let failure = unsafe adit_thread_start(
      &handle, name,
      { context in
        guard let context = unsafe context else { return }
        unsafe Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().run()
      }, context.toOpaque())
    if failure < 0 {
      unsafe context.release()
      throw Errno(rawValue: -failure)
    }
    self.handle = handle
  }

  /// Waits until the thread has ended; once, and never from the thread itself.
  public func join() {
    pthread_join(handle, nil)
  }

  /// A number for the calling thread, unique while it lives.
  public static var current: UInt {
    UInt(pthread_self())
  }
}

private final class ThreadBody: Sendable {
  let run: @Sendable () -> Void
  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}
