internal import CAllocations

/// Heap allocations of the calling thread.
public enum Allocations {
  /// False in sanitizer builds, where nothing can be counted.
  public static var areCounted: Bool { adit_allocations_are_counted() }

  /// How many allocations `body` makes on this thread.
  public static func during(_ body: () throws -> Void) rethrows -> UInt64 {
    let before = adit_allocation_count()
    try body()
    return adit_allocation_count() - before
  }
}
