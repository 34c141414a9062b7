import Glibc
import Kernel
import TestSupport
import Testing

extension BlockingSocket {
  /// Waits, at most 20 seconds, until the peer's kernel has all that was sent: a reset destroys
  /// what is on its way.
  func waitUntilAcknowledged() throws {
    let end = Instant.now() + .seconds(20)
    let own = Descriptor(adopting: number)
    let copy = Result { () throws(Errno) in try own.duplicate().release() }
    _ = own.release()
    let queue = Descriptor(adopting: try copy.get())
    while try queue.unacknowledged() > 0 {
      try #require(Instant.now() < end, "the peer's kernel acknowledges nothing")
      sched_yield()
    }
  }

  /// Sends one byte and a descriptor beside it; over unix sockets only.
  func send(_ byte: UInt8, withDescriptor passed: Int32) throws {
    var bytes = [byte]
    // A cmsghdr (length, level, type), the descriptor, and the padding up to a whole word.
    var control = [UInt8](repeating: 0, count: 24)
    let sent = unsafe control.withUnsafeMutableBytes { control in
      unsafe control.storeBytes(of: 20, toByteOffset: 0, as: UInt.self)
      unsafe control.storeBytes(of: SOL_SOCKET, toByteOffset: 8, as: Int32.self)
      unsafe control.storeBytes(of: Int32(SCM_RIGHTS), toByteOffset: 12, as: Int32.self)
      unsafe control.storeBytes(of: passed, toByteOffset: 16, as: Int32.self)
      return unsafe bytes.withUnsafeMutableBytes { bytes in
        var vector = unsafe iovec(iov_base: bytes.baseAddress, iov_len: 1)
        return unsafe withUnsafeMutablePointer(to: &vector) { vector in
          var message = unsafe msghdr()
          unsafe message.msg_iov = vector
          unsafe message.msg_iovlen = 1
          unsafe message.msg_control = control.baseAddress
          unsafe message.msg_controllen = control.count
          return unsafe sendmsg(number, &message, 0)
        }
      }
    }
    guard sent == 1 else { throw POSIXFailure(errno) }
  }
}
