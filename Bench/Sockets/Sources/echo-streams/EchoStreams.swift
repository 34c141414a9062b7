import Foundation
import Glibc
import PlainSockets
import SocketStreams

/// One connection as a pair of streams in the main run loop.
final class Echo: NSObject, StreamDelegate {
  /// One for all connections: they share a thread.
  private static var buffer = [UInt8](repeating: 0, count: 65_536)
  private let input: InputStream
  private let output: OutputStream
  private var unsent: [UInt8] = []
  private let ended: (Echo) -> Void

  init(_ socket: Int32, ended: @escaping (Echo) -> Void) {
    var read: Unmanaged<CFReadStream>?
    var write: Unmanaged<CFWriteStream>?
    CFStreamCreatePairWithSocket(nil, socket, &read, &write)
    guard let read, let write else { preconditionFailure("a pair has two streams") }
    input = read.takeRetainedValue()
    output = write.takeRetainedValue()
    self.ended = ended
    super.init()
    input.setProperty(true, forKey: .init(kCFStreamPropertyShouldCloseNativeSocket as String))
    for stream in [input, output] {
      stream.delegate = self
      stream.schedule(in: .main, forMode: .default)
      stream.open()
    }
  }

  func stream(_ stream: Stream, handle event: Stream.Event) {
    switch event {
    case .hasBytesAvailable where unsent.isEmpty: receive()
    case .hasSpaceAvailable where !unsent.isEmpty: send()
    case .endEncountered, .errorOccurred: close()
    default: break
    }
  }

  private func receive() {
    let count = input.read(&Echo.buffer, maxLength: Echo.buffer.count)
    guard count > 0 else { return }
    let taken = max(0, output.write(Echo.buffer, maxLength: count))
    if taken < count { unsent = Array(Echo.buffer[taken..<count]) }
  }

  private func send() {
    let taken = output.write(unsent, maxLength: unsent.count)
    guard taken > 0 else { return }
    unsent.removeFirst(taken)
    // What came meanwhile was told of already.
    if unsent.isEmpty, input.hasBytesAvailable { receive() }
  }

  private func close() {
    for stream in [input, output] {
      stream.close()
      stream.remove(from: .main, forMode: .default)
    }
    ended(self)
  }
}

/// An echo server on socket streams: prints its port, then echoes until it is ended.
@main struct EchoStreams {
  static func main() {
    let (listener, port) = plainSocket(SOCK_STREAM)
    print(port)
    fflush(nil)
    var echoes: Set<Echo> = []
    let accepting = DispatchSource.makeReadSource(fileDescriptor: listener, queue: .main)
    accepting.setEventHandler {
      let connection = plainAccept(listener)
      guard connection >= 0 else { return }
      echoes.insert(Echo(connection) { echoes.remove($0) })
    }
    accepting.resume()
    RunLoop.main.run()
  }
}
