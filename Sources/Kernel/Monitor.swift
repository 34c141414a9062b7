internal import CKernel
internal import Glibc

/// A value behind a lock, and threads that wait until it is as they need it.
///
/// For threads that may wait; a loop's thread only calls `withLock` and `signal`. The mutex, held
/// for each access to the value, is the guard of the `@unchecked`.
@safe public final class Monitor<Value>: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>
  private var value: Value

  /// Makes a monitor of `value` that nobody waits for.
  public init(_ value: Value) {
    unsafe mutex = .allocate(capacity: 1)
    unsafe mutex.initialize(to: pthread_mutex_t())
    unsafe condition = .allocate(capacity: 1)
    unsafe condition.initialize(to: pthread_cond_t())
    self.value = value
    var attributes = pthread_condattr_t()
    unsafe pthread_condattr_init(&attributes)
    unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    let failures = unsafe [
      pthread_mutex_init(mutex, nil), pthread_cond_init(condition, &attributes),
    ]
    unsafe pthread_condattr_destroy(&attributes)
    precondition(failures == [0, 0], "a monitor could not be made")
  }

  deinit {
    unsafe pthread_cond_destroy(condition)
    unsafe pthread_mutex_destroy(mutex)
    unsafe condition.deallocate()
    unsafe mutex.deallocate()
  }

  /// Runs `body` with the value while no other thread can; `body` must not wait for anything.
  public func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return body(&value)
  }

  /// Wakes all threads that wait, so that they look at the value again.
  public func signal() {
    unsafe pthread_cond_broadcast(condition)
  }

  /// Calls `body` with the value, at once and after each signal, until it returns something; nil
  /// when `deadline` has passed.
  public func wait<Result>(
    until deadline: Instant = .never, for body: (inout Value) -> Result?
  ) -> Result? {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    while true {
      if let result = body(&value) { return result }
      if deadline == .never {
        unsafe pthread_cond_wait(condition, mutex)
      } else {
        guard deadline > Instant.now() else { return nil }
        var time = timespec(
          tv_sec: Int(deadline.nanoseconds / 1_000_000_000),
          tv_nsec: Int(deadline.nanoseconds % 1_000_000_000))
        _ = unsafe pthread_cond_timedwait(condition, mutex, &time)
      }
    }
  }
}
