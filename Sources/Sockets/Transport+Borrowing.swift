package import Kernel

extension Transport {
  /// Gives the socket out without ending the connection, which is another owner's too, or goes on
  /// without this object.
  package func letGo() -> Descriptor? {
    takeSocket()
  }
}
