internal import Reactor

extension DatagramSocket {
  /// The event loop that the socket lives on.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe loop.asUnownedSerialExecutor()
  }
}

extension AddressQuestion {
  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe home.loop.asUnownedSerialExecutor()
  }
}
