internal import Foundation
internal import Kernel
internal import Sockets

/// What other threads want of a connection, in the order in which they wanted it.
///
/// Guard of the `@unchecked`: a command is made by one thread and used by the loop's alone; the
/// buffers in it are touched on the delegate's queue only.
enum SessionCommand: @unchecked Sendable {
  case connect(ConnectRequest)
  /// Take over the descriptor with that number, which is this command's to close.
  case adopt(Int32, peer: SocketAddress)
  case read(ReadOperation)
  case write(WriteOperation)
  case startTLS(HandshakePlan)
  /// Something was asked for that ends the connection.
  case fail(SocketError)
  /// Holds the socket, which nobody else may hold any more.
  case endAfter(reading: Bool, writing: Bool, GCDAsyncSocket)
  /// The delegate's answer to the question whether the read with that number gets more seconds.
  case extendRead(UInt64, seconds: TimeInterval)
  case extendWrite(UInt64, seconds: TimeInterval)
  case decide(Bool)
  /// The socket has let go of the connection: its end is told to the socket.
  case disconnect(GCDAsyncSocket)
  case abort(GCDAsyncSocket)
  /// Nobody has the socket any more.
  case abandon
}

/// The commands that wait for the loop.
struct SessionInbox {
  var commands: [SessionCommand] = []
  /// The loop has been told to take the commands.
  var isAwaited = false
  /// Nothing is on its way in either direction, and the loop does nothing for the connection but
  /// wait for the peer. What it would do with a write, another thread can do by itself meanwhile,
  /// and a read can wait with it.
  var isQuiet = false
  /// How a write failed that was made meanwhile.
  var writeError: Errno?
  /// Bytes of writes that the connection has not taken.
  var bufferedBytes = 0
}
