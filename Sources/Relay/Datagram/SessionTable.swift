internal import Kernel

/// The sessions of a listener on one loop: found by who asks what, and ordered by their last use.
///
/// A machine: it has no clock and no descriptor. A session is used by a datagram of either
/// direction; several in one turn of the loop cost one move.
struct SessionTable<Element> {
  /// What tells sessions apart: the client, the address asked and the socket that was asked.
  struct Key: Hashable {
    let origin: DatagramOrigin
    let socket: Int
  }

  private struct Entry {
    var key: Key
    var source: DatagramSource
    var lastUse: Instant
    var element: Element
  }

  private var slots: [Key: Int32] = [:]
  private var entries: [Entry?] = []
  private var free: [Int32] = []
  private var order = RecencyLinks()
  private var all = RecencyLinks.Ends()
  // Only while sources are limited: each datagram would pay for it.
  private var sourceOrder = RecencyLinks()
  private var sources: [DatagramSource: RecencyLinks.Ends] = [:]
  private var tracksSources: Bool

  init(tracksSources: Bool) {
    self.tracksSources = tracksSources
  }

  /// Sources are limited from now on.
  mutating func trackSources() {
    guard !tracksSources else { return }
    tracksSources = true
    let used = entries.indices.compactMap { index in
      entries[index].map { (slot: Int32(index), source: $0.source, lastUse: $0.lastUse) }
    }
    for entry in used.sorted(by: { $0.lastUse < $1.lastUse }) {
      sourceOrder.insert(entry.slot, in: &sources[entry.source, default: .init()])
    }
  }

  var count: Int { slots.count }

  /// Where a key's session is; nil when there is none.
  func slot(of key: Key) -> Int32? { slots[key] }

  /// The session at a place that holds one.
  subscript(slot: Int32) -> Element {
    guard let entry = entries[Int(slot)] else { preconditionFailure("the slot is empty") }
    return entry.element
  }

  /// Puts a session in; its key has none yet.
  mutating func insert(
    _ element: Element, for key: Key, of source: DatagramSource, at now: Instant
  ) -> Int32 {
    let slot = free.popLast() ?? addSlot()
    entries[Int(slot)] = Entry(key: key, source: source, lastUse: now, element: element)
    slots[key] = slot
    order.insert(slot, in: &all)
    if tracksSources { sourceOrder.insert(slot, in: &sources[source, default: .init()]) }
    return slot
  }

  private mutating func addSlot() -> Int32 {
    entries.append(nil)
    order.addSlot()
    sourceOrder.addSlot()
    return Int32(entries.count - 1)
  }

  /// A datagram went either way.
  mutating func use(_ slot: Int32, at now: Instant) {
    guard let last = entries[Int(slot)]?.lastUse, last != now else { return }
    entries[Int(slot)]?.lastUse = now
    guard all.newest != slot else { return }
    order.remove(slot, from: &all)
    order.insert(slot, in: &all)
    guard tracksSources, let source = entries[Int(slot)]?.source else { return }
    sourceOrder.remove(slot, from: &sources[source, default: .init()])
    sourceOrder.insert(slot, in: &sources[source, default: .init()])
  }

  /// Takes a session out.
  mutating func remove(_ slot: Int32) {
    guard let entry = entries[Int(slot)] else { preconditionFailure("the slot is empty") }
    entries[Int(slot)] = nil
    slots[entry.key] = nil
    free.append(slot)
    order.remove(slot, from: &all)
    guard tracksSources else { return }
    sourceOrder.remove(slot, from: &sources[entry.source, default: .init()])
    if sources[entry.source]?.isEmpty == true { sources[entry.source] = nil }
  }

  /// The session used longest ago, of all or of one source, and when that was.
  func oldest(of source: DatagramSource? = nil) -> (slot: Int32, lastUse: Instant)? {
    let ends = source.map { sources[$0] ?? .init() } ?? all
    guard ends.oldest >= 0, let entry = entries[Int(ends.oldest)] else { return nil }
    return (ends.oldest, entry.lastUse)
  }

  /// All sessions, in no order.
  var elements: [Element] { entries.compactMap { $0?.element } }
}
