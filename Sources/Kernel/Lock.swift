internal import CKernel
internal import Glibc

/// A mutual-exclusion lock over one value, for the few places that threads share.
///
/// A plain pthread mutex: `Synchronization.Mutex` is slower here and ThreadSanitizer reports races
/// on it that are none (docs/decisions/0002-lock.md). The mutex, held for each access to the value,
/// is the guard of the `@unchecked`.
@safe public final class Lock<Value>: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private var value: Value

  /// Makes an unlocked lock over `value`.
  public init(_ value: Value) {
    unsafe mutex = .allocate(capacity: 1)
    unsafe mutex.initialize(to: pthread_mutex_t())
    self.value = value
    let failure = unsafe pthread_mutex_init(mutex, nil)
    precondition(failure == 0, "a mutex could not be made")
  }

  deinit {
    unsafe pthread_mutex_destroy(mutex)
    unsafe mutex.deallocate()
  }

  /// Runs `body` with the value while no other thread can; `body` must not wait for anything.
  public func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return try body(&value)
  }
}
