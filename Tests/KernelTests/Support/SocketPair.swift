import Kernel
import Testing

/// Two ends of a connection on this machine, both non-blocking.
struct SocketPair: ~Copyable {
  let near: Descriptor
  let far: Descriptor

  /// Connects over TCP on 127.0.0.1, or at another address of this machine.
  init(at address: SocketAddress = .ip(.loopback4, port: 0)) throws {
    let listener = try Descriptor.streamSocket(for: address)
    try listener.bind(to: address)
    try listener.listen(backlog: 1)
    let near = try Descriptor.streamSocket(for: address)
    _ = try near.connect(to: listener.localAddress())
    let far = try accepted(from: listener).descriptor()
    try wait(for: .writable, near)
    if let error = try near.takeError() { throw error }
    self.near = consume near
    self.far = consume far
  }
}

/// The next connection of a listener.
func accepted(from listener: borrowing Descriptor) throws -> Accepted {
  try wait(for: .readable, listener)
  guard let accepted = try listener.accept() else { throw Errno.timedOut }
  return accepted
}

/// Waits until a descriptor is ready, 20 seconds at most.
func wait(for readiness: Readiness, _ descriptor: borrowing Descriptor) throws {
  let poller = try Poller()
  try poller.add(descriptor.number, for: readiness, data: 0)
  guard try poller.wait(milliseconds: 20_000) == 1 else { throw Errno.timedOut }
}

extension Descriptor {
  /// Sends bytes, all of which must be taken at once.
  borrowing func send(_ bytes: [UInt8]) throws {
    let transfer = try unsafe send(bytes, count: bytes.count)
    #expect(transfer == .moved(bytes.count))
  }

  /// What there is to read within one call, after waiting for something.
  borrowing func receive(limit: Int = 65_536) throws -> [UInt8] {
    try wait(for: .readable, self)
    var bytes = [UInt8](repeating: 0, count: limit)
    guard case .moved(let count) = try unsafe receive(into: &bytes, count: limit) else {
      return []
    }
    return Array(bytes.prefix(count))
  }

  /// The result of one call.
  borrowing func receiveOnce() throws(Errno) -> Transfer {
    var byte: UInt8 = 0
    return try unsafe receive(into: &byte, count: 1)
  }
}
