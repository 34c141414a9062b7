internal import Foundation
internal import Kernel
internal import Sockets

/// A connection on which nothing is on its way: what other threads do with it by themselves, so
/// that a delegate that answers costs no wake-up of the loop.
///
/// 1. When the loop has done everything for a connection in clear and only waits for the peer, it
///    says so under the inbox's lock.
/// 2. A thread that writes then sends under that lock. What the kernel does not take goes to the
///    loop as a write that has begun, as does all that is not simple. A failure is left in the
///    inbox.
/// 3. A read without a limit of time stays in the inbox: the loop takes it when the peer has sent
///    something.
/// 4. Whatever happens on the loop takes the commands first, which ends the quiet, so that the
///    socket is not used, nor closed, from two sides at once.
extension StreamSession {
  /// A larger write is not made on the thread that wants it.
  static let writeAtOnceLimit = 65_536

  /// Says that the connection is quiet, if it is. On the loop.
  func keepQuiet() {
    guard !hasEnded, let transport, transport.isOpen, !transport.isSecure, !isHandshaking,
      !transport.mightRead, !transport.endIsNear, writes.isIdle, !reads.isAtSecure,
      reads.keptCount == 0, !rules.isEnding, !rules.peerHasEnded, !isSoon, !reading.isPaused
    else { return }
    inbox.withLock { inbox in inbox.isQuiet = inbox.commands.isEmpty }
  }

  /// Writes what the kernel takes while the connection is quiet; nil when that is all, else the
  /// write that is left. On any thread.
  func writeAtOnce(_ operation: WriteOperation) -> WriteOperation? {
    guard operation.data.count <= StreamSession.writeAtOnceLimit else { return operation }
    let count = inbox.withLock { inbox in
      guard inbox.isQuiet, !inbox.isAwaited, let transport else { return 0 }
      do throws(Errno) {
        let sent = try transport.withSocket { socket throws(Errno) in
          try socket.send(operation.data.span.octets)
        }
        if case .moved(let count) = sent { return count }
      } catch {
        inbox.writeError = error
        inbox.isQuiet = false
      }
      return 0
    }
    guard count < operation.data.count else { return nil }
    var rest = operation
    rest.done = count
    return rest
  }
}

extension SessionCommand {
  /// Whether there is nothing to do for it before the peer has sent something.
  var canWait: Bool {
    if case .read(let operation) = self { operation.timeout == nil } else { false }
  }
}
