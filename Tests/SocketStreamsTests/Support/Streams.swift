import Foundation
import Kernel
import SocketStreams
import TestSupport

/// The two streams of a connection to a server of the test's.
struct StreamPair {
  let input: InputStream
  let output: OutputStream

  init(input: InputStream, output: OutputStream) {
    self.input = input
    self.output = output
  }

  init(to server: BlockingSocket) throws {
    let port = try server.address.port ?? 0
    self.init(host: "127.0.0.1", port: Int(port))
  }

  init(host: String, port: Int) {
    var input: InputStream?
    var output: OutputStream?
    Stream.getStreamsToHost(
      withName: host, port: port, inputStream: &input, outputStream: &output)
    guard let input, let output else { preconditionFailure("streams are always given") }
    self.input = input
    self.output = output
  }

  var both: [Stream] { [input, output] }

  func open() {
    for stream in both { stream.open() }
  }

  func close() {
    for stream in both { stream.close() }
  }

  func schedule(mode: RunLoop.Mode = .default) {
    for stream in both { stream.schedule(in: .current, forMode: mode) }
  }

  /// Waits, without a run loop, until both are open or have failed.
  func waitUntilOpen() {
    // A write of one stream waits until the connection stands; this is its state without bytes.
    let deadline = Date(timeIntervalSinceNow: OwnThread.patience)
    while both.contains(where: { $0.streamStatus == .opening }), Date() < deadline {
      sched_yield()
    }
  }
}

extension InputStream {
  /// Reads once: nil for an error, none at the end.
  func readOnce(_ most: Int = 65_536) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: most)
    let count = unsafe read(&buffer, maxLength: most)
    return count < 0 ? nil : Array(buffer[..<count])
  }

  /// Reads to the end; nil for an error.
  func readAll(_ most: () -> Int = { 65_536 }) -> [UInt8]? {
    var all: [UInt8] = []
    while let some = readOnce(most()) {
      if some.isEmpty { return all }
      all += some
    }
    return nil
  }
}

extension OutputStream {
  /// Writes everything, in as many calls as it takes; false for an error.
  func writeAll(_ bytes: [UInt8], _ most: () -> Int = { Int.max }) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBufferPointer { buffer in
        guard let start = buffer.baseAddress else { return -1 }
        return unsafe write(start, maxLength: min(buffer.count, most()))
      }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}

/// A delegate that keeps what it hears, and does what the test says.
final class Recorder: NSObject, StreamDelegate {
  private(set) var input: [Stream.Event] = []
  private(set) var output: [Stream.Event] = []
  private(set) var threads: Set<ObjectIdentifier> = []
  var react: (Stream, Stream.Event) -> Void = { _, _ in }

  init(_ pair: StreamPair) {
    super.init()
    for stream in pair.both { stream.delegate = self }
  }

  func stream(_ stream: Stream, handle event: Stream.Event) {
    threads.insert(ObjectIdentifier(Thread.current))
    if stream is InputStream { input.append(event) } else { output.append(event) }
    react(stream, event)
  }

  func heard(_ event: Stream.Event, _ events: KeyPath<Recorder, [Stream.Event]>) -> Bool {
    self[keyPath: events].contains(event)
  }
}
