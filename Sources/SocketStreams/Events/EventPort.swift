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
    var loop: LoopName?
    let number: UInt64
  }

  private struct State {
    weak var target: (any EventTarget)?
    weak var delegate: (any StreamDelegate)?
    var client: StreamClient?
    var places: [Place] = []
    var queue: DispatchQueue?
    var source: LoopSource?
    /// Grows with each change of the places and the queue.
    var changes: UInt64 = 0
  }

  private let state = Lock(State())

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
    let known = LoopName.known(for: runLoop)
    let added = state.withLock { state -> (number: UInt64, source: LoopSource)? in
      state.queue = nil
      state.changes += 1
      guard !state.places.contains(where: { $0.runLoop === runLoop && $0.mode == mode }) else {
        return nil
      }
      let source = state.source ?? LoopSource { [weak self] in self?.deliver() }
      state.source = source
      let place = Place(runLoop: runLoop, mode: mode, loop: known, number: state.changes)
      state.places.append(place)
      return (place.number, source)
    }
    guard let added else { return }
    if let known {
      added.source.add(to: known, mode)
      signal()
    } else {
      // A timer reaches a run loop from any thread and wakes it; there it has a name.
      let timer = Timer(timeInterval: 0, repeats: false) { [weak self] _ in
        self?.arrive(added.number)
      }
      runLoop.add(timer, forMode: mode)
    }
  }

  private func arrive(_ number: UInt64) {
    let name = LoopName.current
    let found = state.withLock { state -> (source: LoopSource, mode: RunLoop.Mode)? in
      guard let index = state.places.firstIndex(where: { $0.number == number }),
        let source = state.source
      else { return nil }
      state.places[index].loop = name
      return (source, state.places[index].mode)
    }
    guard let found else { return }
    found.source.add(to: name, found.mode)
    signal()
  }

  func remove(from runLoop: RunLoop, _ mode: RunLoop.Mode) {
    let removed = state.withLock { state -> (LoopName, LoopSource)? in
      guard
        let index = state.places.firstIndex(where: { $0.runLoop === runLoop && $0.mode == mode })
      else { return nil }
      state.changes += 1
      let place = state.places.remove(at: index)
      guard let loop = place.loop, let source = state.source else { return nil }
      return (loop, source)
    }
    if let (loop, source) = removed { source.remove(from: loop, mode) }
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
    let source = state.withLock { state -> LoopSource? in
      state.changes += 1
      state.places = []
      defer { state.source = nil }
      return state.source
    }
    source?.invalidate()
  }

  // MARK: Events

  /// There is something to tell.
  func signal() {
    let (source, loops, queue) = state.withLock { state in
      (state.source, state.places.compactMap(\.loop), state.queue)
    }
    if let queue {
      queue.async { [weak self] in self?.deliver() }
    } else if let source {
      source.signal(loops)
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
