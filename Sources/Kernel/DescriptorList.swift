internal import CKernel

/// Several descriptors with one owner: an array cannot hold what cannot be copied.
public struct DescriptorList: ~Copyable, Sendable {
  private var numbers: [Int32]

  /// A list of one.
  public init(_ first: consuming Descriptor) {
    numbers = [first.release()]
  }

  deinit {
    for number in numbers { _ = adit_close(number) }
  }

  /// Adds one at the end.
  public mutating func append(_ descriptor: consuming Descriptor) {
    numbers.append(descriptor.release())
  }

  /// Calls `body` with each, in order, until it throws.
  public borrowing func forEach(
    _ body: (borrowing Descriptor) throws(Errno) -> Void
  ) throws(Errno) {
    for number in numbers {
      let descriptor = Descriptor(adopting: number)
      do {
        try body(descriptor)
      } catch {
        _ = descriptor.release()
        throw error
      }
      _ = descriptor.release()
    }
  }

  /// Gives the numbers away; whoever adopts them closes them.
  public consuming func release() -> [Int32] {
    let released = numbers
    numbers = []
    return released
  }
}
