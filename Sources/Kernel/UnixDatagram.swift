internal import CKernel
internal import Glibc

/// Single messages to a unix datagram socket: sd_notify(3)'s protocol.
public enum UnixDatagram {
  /// The most that a full queue of the receiver is waited for, in milliseconds.
  public static let patienceMilliseconds: Int32 = 1000

  /// Sends one datagram to the socket of that name.
  public static func send(_ text: String, to name: UnixName) throws(Errno) {
    let address = SocketAddress.unix(name)
    let type = Int32(SOCK_DGRAM.rawValue)
    let socket = Descriptor(adopting: try check(adit_socket(address.family, type)))
    _ = try socket.connect(to: address)
    do {
      try send(text, through: socket)
    } catch {
      guard error == .again else { throw error }
      var entry = pollfd(fd: socket.number, events: Int16(POLLOUT), revents: 0)
      unsafe poll(&entry, 1, patienceMilliseconds)
      try send(text, through: socket)
    }
  }

  private static func send(
    _ text: String, through socket: borrowing Descriptor
  ) throws(Errno) {
    let number = socket.number
    let bytes = Array(text.utf8)
    _ = try check(unsafe adit_send(number, bytes, bytes.count))
  }
}
