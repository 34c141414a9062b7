internal import Glibc
public import Kernel

/// A unix datagram socket that a test listens with: what a service manager has.
public final class DatagramReceiver: Sendable {
  private let descriptor: Descriptor

  /// Binds a path or an abstract name.
  public init(at name: UnixName) throws {
    let number = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard number >= 0 else { throw POSIXFailure(errno) }
    descriptor = Descriptor(adopting: number)
    try descriptor.bind(to: .unix(name))
  }

  /// The next message; nil when none comes for 20 seconds.
  public func receive() -> String? {
    var entry = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&entry, 1, 20_000) == 1 else { return nil }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = unsafe recv(descriptor.number, &bytes, bytes.count, 0)
    guard count >= 0 else { return nil }
    return String(decoding: bytes[..<count], as: UTF8.self)
  }
}
