internal import Reactor

// The runtime keeps executors without owning them; each actor here holds its loop as long as it
// lives.

extension Connection {
  /// The event loop that the connection lives on.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe loop.asUnownedSerialExecutor()
  }
}

extension Listener {
  /// The event loop that the listener lives on.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe loop.asUnownedSerialExecutor()
  }
}
