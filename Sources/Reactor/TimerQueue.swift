internal import Kernel

/// Something that waits for a time.
public protocol TimerHandler: AnyObject {
  /// Called once on the loop's thread, at or after the deadline. `tag` was given when it was set.
  func timerFired(tag: UInt32)
}

/// A timer that has been set. Cancelling one that has fired or was cancelled does nothing.
public struct TimerToken: Hashable, Sendable {
  let slot: UInt32
  let generation: UInt32
}

/// Deadlines in a binary heap; each knows its place there, so that cancelling takes it out at once
/// and an idle loop has no deadline left to wake for.
struct TimerQueue {
  private struct Slot {
    var generation: UInt32
    var tag: UInt32
    var position: Int32
    var handler: (any TimerHandler)?
  }

  private struct Entry {
    var deadline: Instant
    var slot: UInt32
  }

  private var slots: [Slot] = []
  private var free: [UInt32] = []
  private var heap: [Entry] = []

  /// Timers that are set.
  var count: Int { heap.count }

  /// The nearest deadline, nil when no timer is set.
  var next: Instant? { heap.first?.deadline }

  mutating func insert(
    _ deadline: Instant, _ handler: any TimerHandler, tag: UInt32
  ) -> TimerToken {
    let slot: UInt32
    if let reused = free.popLast() {
      slot = reused
      slots[Int(slot)].handler = handler
      slots[Int(slot)].tag = tag
    } else {
      slot = UInt32(slots.count)
      slots.append(Slot(generation: 0, tag: tag, position: 0, handler: handler))
    }
    heap.append(Entry(deadline: deadline, slot: slot))
    slots[Int(slot)].position = Int32(heap.count - 1)
    rise(from: heap.count - 1)
    return TimerToken(slot: slot, generation: slots[Int(slot)].generation)
  }

  mutating func cancel(_ token: TimerToken) {
    let index = Int(token.slot)
    guard index < slots.count, slots[index].generation == token.generation,
      slots[index].handler != nil
    else { return }
    let position = Int(slots[index].position)
    release(token.slot)
    removeEntry(at: position)
  }

  /// Takes out the earliest timer whose deadline is not after `now`.
  mutating func popExpired(_ now: Instant) -> (handler: any TimerHandler, tag: UInt32)? {
    guard let first = heap.first, first.deadline <= now,
      let handler = slots[Int(first.slot)].handler
    else { return nil }
    let tag = slots[Int(first.slot)].tag
    release(first.slot)
    removeEntry(at: 0)
    return (handler, tag)
  }

  private mutating func release(_ slot: UInt32) {
    slots[Int(slot)].handler = nil
    slots[Int(slot)].generation &+= 1
    free.append(slot)
  }

  private mutating func removeEntry(at position: Int) {
    let last = heap.removeLast()
    guard position < heap.count else { return }
    heap[position] = last
    slots[Int(last.slot)].position = Int32(position)
    rise(from: position)
    sink(from: position)
  }

  private mutating func rise(from start: Int) {
    var child = start
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child].deadline < heap[parent].deadline else { return }
      exchange(child, parent)
      child = parent
    }
  }

  private mutating func sink(from start: Int) {
    var parent = start
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
        if heap[child].deadline < heap[least].deadline { least = child }
      }
      guard least != parent else { return }
      exchange(parent, least)
      parent = least
    }
  }

  private mutating func exchange(_ left: Int, _ right: Int) {
    heap.swapAt(left, right)
    slots[Int(heap[left].slot)].position = Int32(left)
    slots[Int(heap[right].slot)].position = Int32(right)
  }
}
