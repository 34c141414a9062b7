internal import Kernel
internal import Sockets

extension Transport {
  /// Takes over a connected stream socket of the caller's, or another descriptor for it.
  static func adopting(
    _ number: Int32, keepsOriginal: Bool, on home: SocketLoop
  ) throws(SocketError) -> Transport {
    guard number >= 0 else {
      throw .invalid("native handle \(number)", expected: "a connected stream socket")
    }
    do {
      let descriptor =
        keepsOriginal ? try Descriptor.another(for: number) : Descriptor(adopting: number)
      guard try descriptor.get(.type) == SocketOption.streamType,
        try descriptor.get(.isListening) == 0
      else { throw Errno.notASocket }
      try descriptor.makeNonblocking()
      let peer = try descriptor.remoteAddress()
      return try Transport(descriptor, peer: peer, on: home)
    } catch let error as SocketError {
      throw error
    } catch let error as Errno {
      throw .system(error, doing: "taking over a connection")
    } catch {
      preconditionFailure("the system fails with error numbers only")
    }
  }
}

extension Descriptor {
  /// Another descriptor for what `number`, which somebody else owns, is open for.
  static func another(for number: Int32) throws(Errno) -> Descriptor {
    let original = Descriptor(adopting: number)
    let copy: Result<Int32, Errno>
    do {
      copy = .success(try original.duplicate().release())
    } catch {
      copy = .failure(error)
    }
    // It stays its owner's.
    _ = original.release()
    return Descriptor(adopting: try copy.get())
  }
}
