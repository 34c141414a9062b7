public import Kernel

/// Something that waits for a descriptor to become ready.
public protocol EventHandler: AnyObject {
  /// Called on the loop's thread with what changed. `tag` is the number given at registration.
  ///
  /// Readiness is reported once for each change (edge-triggered): the handler goes on until the
  /// kernel says that it would block, or asks to be called again with `EventLoop.callSoon`.
  func handle(_ readiness: Readiness, tag: UInt32)
}

/// The place of a descriptor in a loop. A number is never used twice within 2^32 registrations, so
/// an event that was fetched for a descriptor which has closed since finds nobody.
public struct Registration: Hashable, Sendable {
  let slot: UInt32
  let number: UInt32

  /// No registration in force: a loop counts from one.
  public static let none = Registration(slot: 0, number: 0)

  /// What the poller carries for this registration.
  var data: UInt64 { UInt64(number) << 32 | UInt64(slot) }
}

/// Who waits for which descriptor: slots that are reused, numbers that are not.
struct RegistrationTable {
  private struct Slot {
    var number: UInt32
    var tag: UInt32
    var handler: (any EventHandler)?
  }

  private var slots: [Slot] = []
  private var free: [UInt32] = []
  private var lastNumber: UInt32

  /// Counts on from `lastNumber`.
  init(lastNumber: UInt32 = 0) { self.lastNumber = lastNumber }

  /// Registrations in force.
  var count: Int { slots.count - free.count }

  mutating func insert(_ handler: any EventHandler, tag: UInt32) -> Registration {
    // Zero is nobody's: `Registration.none`.
    lastNumber = lastNumber == .max ? 1 : lastNumber + 1
    let entry = Slot(number: lastNumber, tag: tag, handler: handler)
    if let slot = free.popLast() {
      slots[Int(slot)] = entry
      return Registration(slot: slot, number: lastNumber)
    }
    slots.append(entry)
    return Registration(slot: UInt32(slots.count - 1), number: lastNumber)
  }

  /// Changes who waits; the registration must be in force.
  mutating func replace(
    _ registration: Registration, _ handler: any EventHandler, tag: UInt32
  ) {
    let index = Int(registration.slot)
    precondition(
      slots[index].number == registration.number && slots[index].handler != nil,
      "a registration that is not in force cannot be handed on")
    slots[index].handler = handler
    slots[index].tag = tag
  }

  /// Forgets a registration; one that is not in force any more is left alone.
  mutating func remove(_ registration: Registration) {
    let index = Int(registration.slot)
    guard index < slots.count, slots[index].number == registration.number,
      slots[index].handler != nil
    else { return }
    slots[index].handler = nil
    free.append(registration.slot)
  }

  /// Who waits for an event that carries `data`; nil when it is stale.
  func lookUp(_ data: UInt64) -> (handler: any EventHandler, tag: UInt32)? {
    let index = Int(UInt32(truncatingIfNeeded: data))
    guard index < slots.count, slots[index].number == UInt32(data >> 32),
      let handler = slots[index].handler
    else { return nil }
    return (handler, slots[index].tag)
  }
}
