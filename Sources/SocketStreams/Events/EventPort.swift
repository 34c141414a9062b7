internal import Dispatch
internal import Foundation
internal import Kernel

/// A stream that has something to tell.
protocol EventTarget: AnyObject {
  /// Tells what there is to tell, as long as `mayTell` says so.
  func deliverEvents(while mayTell: () -> Bool)
}

/// Where a stream's events go: to run loops in their modes, or to a dispatch queue.
///
/// Guard of the `@unchecked`: its lock.
final class EventPort: @unchecked Sendable {
  /// One run loop and one mode.
  private struct Place {
    let runLoop: RunLoop
    let mode: RunLoop.Mode
    /// Nil until the run loop has told its own name, which only its thread knows.
    var member: LoopMember?
    let number: UInt64
  }

  private struct State {
    weak var target: (any EventTarget)?
    weak var delegate: (any StreamDelegate)?
    var client: StreamClient?
    var places: [Place] = []
    var queue: DispatchQueue?
    /// Grows with each change of the places and the queue.
    var changes: UInt64 = 0
  }

  private let state = Lock(State())

  deinit { leaveLoops() }

  // MARK: Whom

  func setTarget(_ target: any EventTarget) {
    state.withLock { $0.target = target }
  }

  var delegate: (any StreamDelegate)? {
    get { state.withLock { $0.delegate } }
    set { state.withLock { $0.delegate = newValue } }
  }

  var client: StreamClient? {
    get { state.withLock { $0.client } }
    set {
      // The old one is let go of outside the lock: that may run anybody's code.
      let old = state.withLock { state in
        defer { state.client = newValue }
        return state.client
      }
      _ = old
    }
  }

  // MARK: Where

  /// Adds a place. Leaves the queue, as on Darwin.
  func schedule(in runLoop: RunLoop, _ mode: RunLoop.Mode) {
    let number = state.withLock { state -> UInt64? in
      state.queue = nil
      state.changes += 1
      guard !state.places.contains(where: { $0.runLoop === runLoop && $0.mode == mode }) else {
        return nil
      }
      state.places.append(Place(runLoop: runLoop, mode: mode, number: state.changes))
      return state.changes
    }
    guard let number else { return }
    if let known = LoopName.known(for: runLoop) {
      arrive(number, at: known)
    } else {
      // A timer reaches a run loop from any thread and wakes it; there it has a name.
      let timer = Timer(timeInterval: 0, repeats: false) { [weak self] _ in
        self?.arrive(number, at: .current)
      }
      runLoop.add(timer, forMode: mode)
    }
  }

  /// The name of a place's run loop is known, unless the place is gone.
  private func arrive(_ number: UInt64, at name: LoopName) {
    let isThere = state.withLock { state -> Bool in
      guard let index = state.places.firstIndex(where: { $0.number == number }) else {
        return false
      }
      let mode = state.places[index].mode
      state.places[index].member = LoopSource.join(name, mode) { [weak self] in self?.deliver() }
      return true
    }
    if isThere { signal() }
  }

  func remove(from runLoop: RunLoop, _ mode: RunLoop.Mode) {
    let removed = state.withLock { state -> LoopMember? in
      guard
        let index = state.places.firstIndex(where: { $0.runLoop === runLoop && $0.mode == mode })
      else { return nil }
      state.changes += 1
      return state.places.remove(at: index).member
    }
    removed?.leave()
  }

  /// Gives the events to a queue, and to no run loop any more; nil ends that.
  func setQueue(_ queue: DispatchQueue?) {
    leaveLoops()
    state.withLock { $0.queue = queue }
    signal()
  }

  var queue: DispatchQueue? { state.withLock { $0.queue } }

  /// Leaves every run loop.
  func leaveLoops() {
    let members = state.withLock { state in
      state.changes += 1
      defer { state.places = [] }
      return state.places.compactMap(\.member)
    }
    for member in members { member.leave() }
  }

  // MARK: Events

  /// There is something to tell.
  func signal() {
    let (members, queue) = state.withLock { state in
      (state.places.compactMap(\.member), state.queue)
    }
    if let queue {
      queue.async { [weak self] in self?.deliver() }
    } else {
      for member in members { member.signal() }
    }
  }

  private func deliver() {
    let (target, changes, isPlaced) = state.withLock { state in
      (state.target, state.changes, state.queue != nil || !state.places.isEmpty)
    }
    guard isPlaced, let target else { return }
    target.deliverEvents { state.withLock { $0.changes } == changes }
  }
}
