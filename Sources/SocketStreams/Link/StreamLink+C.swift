internal import Kernel

/// Reading and writing with the memory of the caller.
extension StreamLink {
  /// Reads what is there, and waits while nothing is: the count, 0 at the end, -1 when the stream
  /// is not open or has failed.
  func read(into memory: UnsafeMutablePointer<UInt8>, atMost most: Int) -> Int {
    guard most > 0 else { return most == 0 ? 0 : -1 }
    var effects: PairEffects = []
    var waits = false
    let count = shared.wait { state -> Int? in
      if waits { state.rules.waits(.input, -1) }
      waits = false
      let (reading, follows) = state.rules.read(most)
      effects = follows
      switch reading {
      case .take(let count):
        unsafe state.incoming.move(count, to: memory)
        return count
      case .end: return 0
      case .refuse: return -1
      case .wait:
        waits = true
        state.rules.waits(.input, 1)
        return nil
      }
    }
    perform(effects)
    return count ?? -1
  }

  /// Writes what there is room for, and waits while there is none: the count, -1 when the stream is
  /// not open or has failed.
  func write(_ memory: UnsafePointer<UInt8>, count offered: Int) -> Int {
    guard offered > 0 else { return offered == 0 ? 0 : -1 }
    var effects: PairEffects = []
    var waits = false
    let count = shared.wait { state -> Int? in
      if waits { state.rules.waits(.output, -1) }
      waits = false
      let (writing, follows) = state.rules.write(offered)
      effects = follows
      switch writing {
      case .take(let count):
        if state.rules.carrier == .bound {
          unsafe state.incoming.append(memory, count: count)
        } else {
          unsafe state.outgoing.append(memory, count: count)
        }
        return count
      case .refuse: return -1
      case .wait:
        waits = true
        state.rules.waits(.output, 1)
        return nil
      }
    }
    perform(effects)
    return count ?? -1
  }
}
