/// Lists of slots in the order of use, as links beside the slots: adding, moving and removing take
/// a few stores and no memory.
struct RecencyLinks {
  /// One list's ends.
  struct Ends: Hashable {
    /// The slot used last, -1 when the list is empty.
    fileprivate(set) var newest: Int32 = -1
    /// The slot used longest ago, -1 when the list is empty.
    fileprivate(set) var oldest: Int32 = -1

    var isEmpty: Bool { newest < 0 }
  }

  private var newer: [Int32] = []
  private var older: [Int32] = []

  /// Makes room for one more slot.
  mutating func addSlot() {
    newer.append(-1)
    older.append(-1)
  }

  /// Puts a slot at the newest end.
  mutating func insert(_ slot: Int32, in ends: inout Ends) {
    newer[Int(slot)] = -1
    older[Int(slot)] = ends.newest
    if ends.newest >= 0 { newer[Int(ends.newest)] = slot } else { ends.oldest = slot }
    ends.newest = slot
  }

  /// Takes a slot out.
  mutating func remove(_ slot: Int32, from ends: inout Ends) {
    let after = newer[Int(slot)]
    let before = older[Int(slot)]
    if after >= 0 { older[Int(after)] = before } else { ends.newest = before }
    if before >= 0 { newer[Int(before)] = after } else { ends.oldest = after }
  }
}
