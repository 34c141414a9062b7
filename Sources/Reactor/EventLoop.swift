public import Kernel
internal import Synchronization

/// One thread, one poller: everything that belongs to a connection happens on its loop.
///
/// A turn of the loop:
///
/// 1. wait in epoll for a change, for the nearest deadline, or not at all when work is left over;
/// 2. read the clock once: `now` holds for the whole turn;
/// 3. give each event to who registered for it; a stale one finds nobody and is dropped;
/// 4. fire the timers whose deadline has come;
/// 5. run the jobs that other threads and Swift's concurrency put in;
/// 6. call those again whose turn was cut short so that others get theirs;
/// 7. run the tasks that all of this made ready on this very loop.
///
/// All members except `post`, `sync`, `enqueue`, `stop` and `isCurrent` may be used on the loop's
/// thread only; they trap elsewhere in debug builds. That rule is the guard of the `@unchecked
/// Sendable`.
@safe public final class EventLoop: @unchecked Sendable {
  // Constant: any thread.
  /// The loop's place in its group.
  public let index: Int
  private let clock: @Sendable () -> Instant
  private let jobs: JobQueue
  private let owner = Atomic<UInt>(0)

  // On the loop's thread only.
  private let poller: Poller
  private var registrations = RegistrationTable()
  private var timers = TimerQueue()
  private var soon: [(handler: any EventHandler, tag: UInt32)] = []
  private var soonNext: [(handler: any EventHandler, tag: UInt32)] = []
  /// Tasks that code on the loop has made ready: they need no lock and no wake-up.
  private var ready: [LoopTask] = []
  private var readyNext: [LoopTask] = []
  private var isRunning = false
  /// The time at which this turn began.
  public private(set) var now: Instant
  /// Turns so far.
  public private(set) var turns: UInt64 = 0
  /// Events dropped because their descriptor had been closed since they were fetched.
  public private(set) var staleEvents: UInt64 = 0

  /// Makes a loop that nobody runs yet. `clock` is the machine's, or a test's.
  public init(
    index: Int = 0, clock: @escaping @Sendable () -> Instant = Instant.now
  ) throws(Errno) {
    self.index = index
    self.clock = clock
    poller = try Poller()
    jobs = try JobQueue()
    now = clock()
    try poller.add(jobs.descriptor, for: [.readable, .edge], data: EventLoop.jobData)
  }

  /// How often in one turn tasks that make each other ready are run, before descriptors are looked
  /// at again.
  private static let readyRounds = 16
  /// No registration has slot 2^32 - 1 with number 2^32 - 1: the table would not fit in memory.
  private static let jobData = UInt64.max

  // MARK: Any thread

  /// Runs `work` on the loop, in the order of posting; never when the loop has run and ended.
  public func post(_ work: @escaping @Sendable () -> Void) {
    jobs.append(.closure(work))
  }

  /// Makes `run` return after the turn in progress.
  public func stop() {
    // Weak, since a loop that does not run any more would keep the work, and so itself, for ever.
    post { [weak self] in self?.isRunning = false }
  }

  /// True on the loop's own thread while it runs.
  public var isCurrent: Bool {
    owner.load(ordering: .relaxed) == KernelThread.current
  }

  // MARK: Running

  /// Runs turns on the calling thread until `stop`.
  public func run() throws(Errno) {
    owner.store(KernelThread.current, ordering: .relaxed)
    defer { owner.store(0, ordering: .relaxed) }
    jobs.setClosed(false)
    isRunning = true
    while isRunning {
      try turn(waitAtMost: nil)
    }
    end()
  }

  /// Does what was posted so far and lets go of what is posted from now on: a loop that does not
  /// run would keep it, and with it perhaps itself, for ever. `run` ends so; a loop that never ran
  /// is ended by who made it.
  public func end() {
    jobs.setClosed(true)
    runJobs()
    while !ready.isEmpty { runReady() }
    soon = []
  }

  /// One turn; waits at most `limit`, or as long as it takes when that is nil.
  public func turn(waitAtMost limit: Duration?) throws(Errno) {
    let count = try poller.wait(milliseconds: waitMilliseconds(limit))
    now = clock()
    turns += 1
    var jobsAreDue = false
    for position in 0..<count {
      let event = poller.event(position)
      if event.data == EventLoop.jobData {
        jobsAreDue = true
      } else if let (handler, tag) = registrations.lookUp(event.data) {
        handler.handle(event.readiness, tag: tag)
      } else {
        staleEvents += 1
      }
    }
    // No more than there were: one that is set anew for the present must not hold the turn up.
    var remaining = timers.count
    while remaining > 0, let (handler, tag) = timers.popExpired(now) {
      remaining -= 1
      handler.timerFired(tag: tag)
    }
    if jobsAreDue { runJobs() }
    if !soon.isEmpty { callThoseWaiting() }
    if !ready.isEmpty { runReady() }
  }

  private func waitMilliseconds(_ limit: Duration?) -> Int32 {
    guard soon.isEmpty, ready.isEmpty else { return 0 }
    var wait: UInt64 = limit.map { $0.wholeNanoseconds } ?? .max
    if let next = timers.next {
      let present = clock()
      wait = min(wait, next > present ? next.nanoseconds - present.nanoseconds : 0)
    }
    guard wait != .max else { return -1 }
    // Rounded up: waking before the deadline would spin for the rest of the millisecond.
    let (milliseconds, rest) = wait.quotientAndRemainder(dividingBy: 1_000_000)
    return Int32(clamping: rest == 0 ? milliseconds : milliseconds + 1)
  }

  private func runJobs() {
    for job in jobs.takeAll() {
      switch job {
      case .closure(let work): work()
      case .task(let task): task.run(on: self)
      }
    }
  }

  private func runReady() {
    var rounds = EventLoop.readyRounds
    while rounds > 0, !ready.isEmpty {
      rounds -= 1
      swap(&ready, &readyNext)
      for task in readyNext { task.run(on: self) }
      readyNext.removeAll(keepingCapacity: true)
    }
  }

  private func callThoseWaiting() {
    swap(&soon, &soonNext)
    for (handler, tag) in soonNext {
      handler.handle([], tag: tag)
    }
    soonNext.removeAll(keepingCapacity: true)
  }

  // MARK: On the loop

  /// Every change of a stream.
  public static let everyChange: Readiness = [.readable, .writable, .peerEnded, .urgent, .edge]
  /// Every change but room to write. A new connection has room, and reporting so would cost it a
  /// turn of the loop in which there is nothing to do.
  public static let everyChangeButRoom = everyChange.subtracting(.writable)

  /// Watches a descriptor for every change, until `forget` and close. Registered once.
  public func watch(
    _ descriptor: borrowing Descriptor, _ handler: any EventHandler, tag: UInt32 = 0,
    for readiness: Readiness = EventLoop.everyChange
  ) throws(Errno) -> Registration {
    assertCurrent()
    let registration = registrations.insert(handler, tag: tag)
    do {
      try poller.add(descriptor.number, for: readiness, data: registration.data)
    } catch {
      registrations.remove(registration)
      throw error
    }
    return registration
  }

  /// Gives the events of a watched descriptor to another handler.
  public func hand(_ registration: Registration, to handler: any EventHandler, tag: UInt32) {
    assertCurrent()
    registrations.replace(registration, handler, tag: tag)
  }

  /// Changes what a descriptor is watched for: a listener's pause, a resolver's sockets.
  public func modify(
    _ registration: Registration, _ descriptor: borrowing Descriptor, for readiness: Readiness
  ) throws(Errno) {
    assertCurrent()
    try poller.modify(descriptor.number, for: readiness, data: registration.data)
  }

  /// Forgets a registration whose descriptor is about to be closed, which ends the watching.
  public func forget(_ registration: Registration) {
    assertCurrent()
    registrations.remove(registration)
  }

  /// Stops watching a descriptor that stays open.
  public func unwatch(_ registration: Registration, _ descriptor: borrowing Descriptor) {
    assertCurrent()
    registrations.remove(registration)
    try? poller.remove(descriptor.number)
  }

  /// Calls the handler with no readiness after this turn's events, before the loop sleeps again.
  public func callSoon(_ handler: any EventHandler, tag: UInt32) {
    assertCurrent()
    soon.append((handler, tag))
  }

  /// Sets a timer. It costs nothing while the loop sleeps but the wake-up at its deadline.
  public func setTimer(
    at deadline: Instant, _ handler: any TimerHandler, tag: UInt32 = 0
  ) -> TimerToken {
    assertCurrent()
    return timers.insert(deadline, handler, tag: tag)
  }

  /// Takes a timer back.
  public func cancel(_ timer: TimerToken) {
    assertCurrent()
    timers.cancel(timer)
  }

  /// Registrations and timers in force, for tests that look for what was left behind.
  public var population: (registrations: Int, timers: Int) { (registrations.count, timers.count) }

  private func assertCurrent() {
    let thread = owner.load(ordering: .relaxed)
    assert(
      thread == 0 || thread == KernelThread.current,
      "a loop's state is touched from another thread")
  }
}

extension EventLoop: SerialExecutor {
  /// Takes a job of Swift's concurrency: actors may run on the loop.
  public func enqueue(_ job: consuming ExecutorJob) {
    take(LoopTask(UnownedJob(job), preferring: nil))
  }

  /// Takes a job, on any thread.
  func take(_ task: LoopTask) {
    if isCurrent { ready.append(task) } else { jobs.append(.task(task)) }
  }

  /// Traps when the caller is not on the loop.
  public func checkIsolated() {
    precondition(isCurrent, "this code belongs to loop \(index) and runs elsewhere")
  }

  /// True on the loop.
  public func isIsolatingCurrentContext() -> Bool? {
    isCurrent
  }
}
