import CocoaAsyncSocket
import TestSupport

/// A `GCDAsyncSocket` that reads all the time, as code with a delegate does.
///
/// Guard of the `@unchecked`: everything but `socket` is used on `queue`.
final class DelegateFace: NSObject, Face, GCDAsyncSocketDelegate, @unchecked Sendable {
  /// Longer than any step takes: what hangs fails.
  private static let patience = 20.0

  private let queue = DispatchQueue(label: "face")
  private let socket: GCDAsyncSocket

  private var received: [UInt8] = []
  private var end: Result<Void, any Error>?
  private var reader: (wanted: Int?, resume: (Result<[UInt8], any Error>) -> Void)?
  private var writers: [Int: (Result<Void, any Error>) -> Void] = [:]
  private var closer: (() -> Void)?
  private var lastTag = 0

  struct NotOffered: Error {}
  struct Ended: Error {}

  init(_ port: UInt16) throws {
    socket = GCDAsyncSocket()
    super.init()
    socket.setDelegate(self, delegateQueue: queue)
    try socket.connect(toHost: "127.0.0.1", onPort: port, withTimeout: DelegateFace.patience)
    socket.readData(withTimeout: DelegateFace.patience, tag: 0)
  }

  // MARK: The face

  func send(_ bytes: [UInt8]) async throws {
    let outcome: Result<Void, any Error> = await withCheckedContinuation { continuation in
      queue.async { [self] in
        if end != nil { return continuation.resume(returning: .failure(Ended())) }
        lastTag += 1
        writers[lastTag] = { continuation.resume(returning: $0) }
        socket.write(Data(bytes), withTimeout: DelegateFace.patience, tag: lastTag)
      }
    }
    try outcome.get()
  }

  func receive(exactly count: Int) async throws -> [UInt8] { try await receive(count) }

  func receiveToEnd() async throws -> [UInt8] { try await receive(nil) }

  private func receive(_ wanted: Int?) async throws -> [UInt8] {
    let outcome: Result<[UInt8], any Error> = await withCheckedContinuation { continuation in
      queue.async { [self] in
        reader = (wanted, { continuation.resume(returning: $0) })
        serveReader()
      }
    }
    return try outcome.get()
  }

  func endStream() async throws { throw NotOffered() }

  func close() async {
    await withCheckedContinuation { continuation in
      queue.async { [self] in
        guard end == nil else { return continuation.resume() }
        closer = { continuation.resume() }
        socket.disconnectAfterWriting()
      }
    }
  }

  private func serveReader() {
    guard let reader else { return }
    if let wanted = reader.wanted, received.count >= wanted {
      self.reader = nil
      let bytes = Array(received[..<wanted])
      received.removeFirst(wanted)
      reader.resume(.success(bytes))
    } else if let end {
      self.reader = nil
      let all = end.map { received }
      reader.resume(reader.wanted == nil ? all : .failure(Ended()))
    }
  }

  // MARK: The delegate

  func socket(_ sock: GCDAsyncSocket, didRead data: Data, withTag tag: Int) {
    received += data
    sock.readData(withTimeout: DelegateFace.patience, tag: 0)
    serveReader()
  }

  func socket(_ sock: GCDAsyncSocket, didWriteDataWithTag tag: Int) {
    writers.removeValue(forKey: tag)?(.success(()))
  }

  func socketDidDisconnect(_ sock: GCDAsyncSocket, withError err: (any Error)?) {
    let isOrdinary = err == nil || (err as? GCDAsyncSocketError)?.code == .closedError
    end = isOrdinary ? .success(()) : .failure(err ?? Ended())
    for (_, resume) in writers { resume(.failure(err ?? Ended())) }
    writers = [:]
    serveReader()
    closer?()
  }
}
