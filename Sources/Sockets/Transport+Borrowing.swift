internal import Kernel

extension Transport {
  /// Closes this descriptor and does not end the connection, which is another owner's too.
  package func letGo() {
    _ = takeSocket()
  }
}
