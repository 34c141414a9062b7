internal import Kernel

@testable internal import CocoaAsyncSocket

/// Reads the first bytes as the separator's length, the limit and the size of the pieces, then the
/// separator, then a stream: what comes of it must not depend on how the stream is cut.
func checkSegmentation(_ bytes: [UInt8]) {
  guard bytes.count >= 3 else { return }
  let length = 1 + Int(bytes[0] % 6)
  let rest = bytes.dropFirst(3)
  guard rest.count >= length else { return }
  let separator = Array(rest.prefix(length))
  let stream = Array(rest.dropFirst(length))
  let limit = length + Int(bytes[1])
  let cut = results(separator, limit, stream, pieceSize: 1 + Int(bytes[2] % 16))
  precondition(
    cut == results(separator, limit, stream, pieceSize: .max), "pieces change the result")
  precondition(
    cut == expected(separator, limit, stream), "another result than by trying each place")
}

private func results(
  _ separator: [UInt8], _ limit: Int, _ stream: [UInt8], pieceSize: Int
) -> [[UInt8]?] {
  var queue = ReadQueue()
  var results: [[UInt8]?] = []
  var start = 0
  var number: UInt64 = 0
  while true {
    switch queue.next() {
    case .idle:
      number += 1
      queue.append(
        .operation(
          ReadOperation(
            .separator(separator, limit: limit), number: number, timeout: nil, tag: 0)))
    case .completed(let operation): results.append(Array(operation.bytes))
    case .tooLong:
      results.append(nil)
      return results
    case .secure: preconditionFailure("nobody asked for TLS")
    case .read:
      guard start < stream.count else { return results }
      let end = pieceSize < stream.count - start ? start + pieceSize : stream.count
      let piece = Array(stream[start..<end])
      queue.receive(piece.span.octets)
      start = end
    }
  }
}

private func expected(_ separator: [UInt8], _ limit: Int, _ stream: [UInt8]) -> [[UInt8]?] {
  var results: [[UInt8]?] = []
  var start = 0
  while true {
    let rest = Array(stream[start...].prefix(limit))
    let place = rest.indices.first { index in
      index + separator.count <= rest.count
        && Array(rest[index..<index + separator.count]) == separator
    }
    guard let place else {
      return rest.count == limit ? results + [nil] : results
    }
    results.append(Array(rest[..<(place + separator.count)]))
    start += place + separator.count
  }
}
