internal import Kernel

/// Descriptors over a unix socket, in clear.
extension Transport {
  func write(
    _ bytes: RawSpan, passing descriptors: [PassedDescriptor]
  ) throws(SocketError) -> Transfer {
    try checkPassing()
    return try sendOnce { socket throws(Errno) in try socket.send(bytes, passing: descriptors) }
  }

  func read(
    into bytes: inout MutableRawSpan, passed: inout [PassedDescriptor]
  ) throws(SocketError) -> Transfer {
    try checkPassing()
    return try receiveOnce(room: bytes.byteCount) { socket throws(Errno) in
      try socket.receive(into: &bytes, passed: &passed)
    }
  }

  private func checkPassing() throws(SocketError) {
    guard isOpen else { throw .closed }
    guard isUnix, security == nil else {
      throw .invalid(
        "descriptors cannot be passed here", expected: "a unix socket without TLS")
    }
  }
}
