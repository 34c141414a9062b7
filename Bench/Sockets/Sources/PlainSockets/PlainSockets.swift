import Glibc

/// A socket on a free port of 127.0.0.1, and the port, made with what Swift on Linux offers
/// by itself; a stream socket listens.
public func plainSocket(_ type: __socket_type) -> (descriptor: Int32, port: UInt16) {
  let descriptor = socket(AF_INET, Int32(type.rawValue | SOCK_NONBLOCK.rawValue), 0)
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
  var length = socklen_t(MemoryLayout<sockaddr_in>.size)
  withUnsafeMutablePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
      bind(descriptor, address, length)
      if type == SOCK_STREAM { listen(descriptor, 4096) }
      getsockname(descriptor, address, &length)
    }
  }
  return (descriptor, UInt16(bigEndian: address.sin_port))
}

/// The next connection of a listening socket, with small segments sent at once; -1 when none waits.
public func plainAccept(_ listener: Int32) -> Int32 {
  let connection = accept(listener, nil, nil)
  var one: Int32 = 1
  if connection >= 0 { setsockopt(connection, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4) }
  return connection
}
