import Foundation
import Glibc
import SocketStreams

/// Sends a line to a server through a pair of streams and prints the line that comes back, in a run
/// loop.
///
///     stream-client HOST PORT TEXT…
final class StreamClient: NSObject, StreamDelegate {
  private var input: InputStream?
  private var output: OutputStream?
  private var unsent: [UInt8]
  private(set) var isDone = false

  init(text: String) {
    unsent = Array(text.utf8)
  }

  func open(host: String, port: Int) {
    Stream.getStreamsToHost(
      withName: host, port: port, inputStream: &input, outputStream: &output)
    for stream in [input, output] as [Stream?] {
      stream?.delegate = self
      stream?.schedule(in: .current, forMode: .default)
      stream?.open()
    }
  }

  func stream(_ stream: Stream, handle event: Stream.Event) {
    switch event {
    case .hasSpaceAvailable: send()
    case .hasBytesAvailable: receive()
    case .errorOccurred: finish("error: \(String(describing: stream.streamError))")
    case .endEncountered: finish("the server has ended the connection")
    default: break
    }
  }

  private func send() {
    guard !unsent.isEmpty, let output else { return }
    let count = output.write(unsent, maxLength: unsent.count)
    if count > 0 { unsent.removeFirst(count) }
  }

  private func receive() {
    var buffer = [UInt8](repeating: 0, count: 1024)
    while let input, input.hasBytesAvailable {
      let count = input.read(&buffer, maxLength: buffer.count)
      guard count > 0 else { return }
      print(String(decoding: buffer[..<count], as: UTF8.self), terminator: "")
      if buffer[..<count].contains(10) { return finish(nil) }
    }
  }

  private func finish(_ message: String?) {
    if let message { print(message) }
    for stream in [input, output] as [Stream?] {
      stream?.close()
      stream?.remove(from: .current, forMode: .default)
    }
    isDone = true
  }
}

@main enum Main {
  static func main() {
    let words = CommandLine.arguments
    guard words.count >= 4, let port = Int(words[2]) else {
      print("usage: stream-client HOST PORT TEXT…")
      exit(2)
    }
    let client = StreamClient(text: words[3...].joined(separator: " ") + "\n")
    client.open(host: words[1], port: port)
    let limit = Date(timeIntervalSinceNow: 20)
    while !client.isDone, limit > Date() {
      _ = RunLoop.current.run(mode: .default, before: limit)
    }
    exit(client.isDone ? 0 : 1)
  }
}
