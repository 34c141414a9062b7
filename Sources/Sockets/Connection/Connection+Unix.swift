public import Kernel

extension Connection {
  /// Who is at the other end of a unix socket, as the kernel saw it when they connected.
  public func peerCredentials() throws(SocketError) -> PeerCredentials {
    try withDescriptor { socket throws(Errno) in try socket.peerCredentials() }
  }

  /// Sends bytes, at least one, over a unix socket, and copies of descriptors with the first.
  public func send(
    _ bytes: [UInt8], passing descriptors: [PassedDescriptor], timeout: Duration? = nil
  ) async throws(SocketError) {
    guard !bytes.isEmpty else {
      throw .invalid("descriptors without a byte", expected: "at least one byte with them")
    }
    guard (1...Descriptor.mostPassed).contains(descriptors.count) else {
      throw .invalid(
        "\(descriptors.count) descriptors", expected: "1 to \(Descriptor.mostPassed)")
    }
    let sent = try await sendFirst(bytes, passing: descriptors, timeout: timeout)
    if sent < bytes.count { try await send(bytes[sent...], timeout: timeout) }
  }

  /// Receives what is there over a unix socket, at most `most` bytes, with the descriptors that
  /// came with it. No bytes when the peer has ended its stream. Descriptors with bytes that another
  /// form of receive takes are closed.
  public func receivePassed(
    atMost most: Int, timeout: Duration? = nil
  ) async throws(SocketError) -> (bytes: [UInt8], descriptors: [PassedDescriptor]) {
    guard most >= 1 else { throw .invalid("\(most) bytes", expected: "1 or more") }
    var buffer = [UInt8](repeating: 0, count: most)
    var passed: [PassedDescriptor] = []
    let count = try await receive(into: &buffer, passed: &passed, timeout: timeout)
    return (Array(buffer[..<count]), passed)
  }
}
