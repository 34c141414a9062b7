internal import CAllocations

/// Heap allocations of the calling thread.
public enum Allocations {
  /// False in sanitizer builds, where nothing can be counted, and in debug builds, where the
  /// compiler leaves boxes that an optimised build does not have.
  public static var areCounted: Bool {
    var isOptimised = true
    assert(
      {
        isOptimised = false
        return true
      }())
    return isOptimised && adit_allocations_are_counted()
  }

  /// Allocations of the calling thread so far.
  public static var count: UInt64 { adit_allocation_count() }

  /// How many allocations `body` makes on this thread.
  public static func during(_ body: () throws -> Void) rethrows -> UInt64 {
    let before = adit_allocation_count()
    try body()
    return adit_allocation_count() - before
  }
}
