import Foundation
import SocketStreams
import TestSupport

/// A pair of streams without a run loop: reads and writes wait, each on a thread of its own.
///
/// Guard of the `@unchecked`: the streams may be used by one thread each.
final class StreamFace: Face, @unchecked Sendable {
  private let input: InputStream
  private let output: OutputStream

  struct Broken: Error {
    let cause: (any Error)?
  }

  init(_ port: UInt16) {
    var input: InputStream?
    var output: OutputStream?
    Stream.getStreamsToHost(
      withName: "127.0.0.1", port: Int(port), inputStream: &input, outputStream: &output)
    guard let input, let output else { preconditionFailure("a pair has two streams") }
    self.input = input
    self.output = output
    input.open()
    output.open()
  }

  func send(_ bytes: [UInt8]) async throws {
    try await offPool { [self] in
      var sent = 0
      while sent < bytes.count {
        let count = unsafe output.write(Array(bytes[sent...]), maxLength: bytes.count - sent)
        guard count > 0 else { throw Broken(cause: output.streamError) }
        sent += count
      }
    }
  }

  func receive(exactly count: Int) async throws -> [UInt8] {
    let bytes = try await read(atMost: count)
    guard bytes.count == count else { throw Broken(cause: nil) }
    return bytes
  }

  func receiveToEnd() async throws -> [UInt8] { try await read(atMost: .max) }

  private func read(atMost most: Int) async throws -> [UInt8] {
    try await offPool { [self] in
      var all: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while all.count < most {
        let count = unsafe input.read(&buffer, maxLength: min(buffer.count, most - all.count))
        guard count >= 0 else { throw Broken(cause: input.streamError) }
        if count == 0 { break }
        all += buffer[..<count]
      }
      return all
    }
  }

  func endStream() async throws { output.close() }

  func close() async {
    output.close()
    input.close()
  }
}
