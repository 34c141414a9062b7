import CocoaAsyncSocket
import Foundation
import Kernel
import Testing

/// A delegate that writes down what it is told, for a test to wait for.
final class Recorder: NSObject, GCDAsyncSocketDelegate, Sendable {
  enum Event {
    case accepted(GCDAsyncSocket)
    case connected(String, UInt16)
    case connectedTo(URL)
    case read(Data, Int)
    case readPart(UInt, Int)
    case wrote(Int)
    case wrotePart(UInt, Int)
    case readStreamClosed
    case disconnected((any Error)?)
    case secured
    case failedRead(Int, any Error)
    case failedWrite(Int, any Error)
    case drained
    case askedAboutRead(Int, TimeInterval, UInt)
    case askedAboutWrite(Int, TimeInterval, UInt)
    case askedTrust
  }

  /// No event comes later than this after what causes it, on a busy machine.
  static let patience = Duration.seconds(20)

  /// Writes with greater tags are for the hook alone: a test may have very many.
  static let quietTag = 10_000

  let queue: DispatchQueue
  private let events = Monitor<[(socket: GCDAsyncSocket, event: Event)]>([])
  private let hooks: Lock<Hooks>
  private let extensions = Lock<[TimeInterval]>([])

  /// Functions stand in a struct: alone behind a lock each access would wrap them once more.
  private struct Hooks: Sendable {
    var event: @Sendable (GCDAsyncSocket, Event) -> Void
    var trust: @Sendable (SecTrust) -> Bool? = { _ in true }
  }

  init(
    _ label: String = "recorder",
    hook: @escaping @Sendable (GCDAsyncSocket, Event) -> Void = { _, _ in }
  ) {
    queue = DispatchQueue(label: label)
    hooks = Lock(Hooks(event: hook))
  }

  /// Calls `hook` on the delegate's queue with each event from here on.
  func onEvent(_ hook: @escaping @Sendable (GCDAsyncSocket, Event) -> Void) {
    hooks.withLock { $0.event = hook }
  }

  /// The answers to questions about time, in their order; then there is none.
  func extend(by seconds: [TimeInterval]) { extensions.withLock { $0 = seconds } }

  /// How the peer's trust is decided; nil answers nothing.
  func trust(_ decide: @escaping @Sendable (SecTrust) -> Bool?) {
    hooks.withLock { $0.trust = decide }
  }

  /// A socket that calls this delegate.
  func socket() -> GCDAsyncSocket { GCDAsyncSocket(delegate: self, delegateQueue: queue) }

  private func note(_ socket: GCDAsyncSocket, _ event: Event) {
    hooks.withLock { $0.event }(socket, event)
    if case .wrote(let tag) = event, tag >= Recorder.quietTag { return }
    events.withLock { $0.append((socket, event)) }
    events.signal()
  }

  /// Waits for the first event for which `find` gives something, and takes it out with all before
  /// it.
  func next<Found>(
    _ what: String, of socket: GCDAsyncSocket? = nil,
    sourceLocation: SourceLocation = #_sourceLocation, _ find: (Event) -> Found?
  ) throws -> Found {
    let found = events.wait(until: .now() + Recorder.patience) { events -> Found? in
      for (index, entry) in events.enumerated() where socket == nil || entry.socket === socket {
        if let found = find(entry.event) {
          events.remove(at: index)
          return found
        }
      }
      return nil
    }
    return try #require(
      found, "waited for \(what); there was \(names)", sourceLocation: sourceLocation)
  }

  var names: [String] { events.withLock { $0.map { "\($0.socket.identifier): \($0.event)" } } }

  /// The events of a socket that nobody has taken.
  func left(of socket: GCDAsyncSocket) -> [Event] {
    events.withLock { $0.filter { $0.socket === socket }.map(\.event) }
  }

  /// Waits until everything that is queued by now has run.
  func settle() { queue.sync {} }

  // MARK: What is waited for

  func accepted() throws -> GCDAsyncSocket {
    try next("a connection") { if case .accepted(let socket) = $0 { socket } else { nil } }
  }

  @discardableResult
  func connected(_ socket: GCDAsyncSocket) throws -> (String, UInt16) {
    try next("the connection", of: socket) {
      if case .connected(let host, let port) = $0 { (host, port) } else { nil }
    }
  }

  func read(_ socket: GCDAsyncSocket, tag: Int) throws -> Data {
    try next("the read \(tag)", of: socket) {
      if case .read(let data, tag) = $0 { data } else { nil }
    }
  }

  func text(_ socket: GCDAsyncSocket, tag: Int) throws -> String {
    String(decoding: try read(socket, tag: tag), as: UTF8.self)
  }

  func wrote(_ socket: GCDAsyncSocket, tag: Int) throws {
    try next("the write \(tag)", of: socket) { if case .wrote(tag) = $0 { () } else { nil } }
  }

  @discardableResult
  func disconnected(_ socket: GCDAsyncSocket) throws -> NSError? {
    try next("the end", of: socket) {
      if case .disconnected(let error) = $0 { .some(error as NSError?) } else { nil }
    }
  }

  func secured(_ socket: GCDAsyncSocket) throws {
    try next("TLS", of: socket) { if case .secured = $0 { () } else { nil } }
  }

  // MARK: The delegate

  func socket(_ sock: GCDAsyncSocket, didAcceptNewSocket newSocket: GCDAsyncSocket) {
    note(sock, .accepted(newSocket))
  }

  func socket(_ sock: GCDAsyncSocket, didConnectToHost host: String, port: UInt16) {
    note(sock, .connected(host, port))
  }

  func socket(_ sock: GCDAsyncSocket, didConnectTo url: URL) { note(sock, .connectedTo(url)) }

  func socket(_ sock: GCDAsyncSocket, didRead data: Data, withTag tag: Int) {
    note(sock, .read(data, tag))
  }

  func socket(_ sock: GCDAsyncSocket, didReadPartialDataOfLength partialLength: UInt, tag: Int) {
    note(sock, .readPart(partialLength, tag))
  }

  func socket(_ sock: GCDAsyncSocket, didWriteDataWithTag tag: Int) { note(sock, .wrote(tag)) }

  func socket(_ sock: GCDAsyncSocket, didWritePartialDataOfLength partialLength: UInt, tag: Int) {
    note(sock, .wrotePart(partialLength, tag))
  }

  func socket(
    _ sock: GCDAsyncSocket, shouldTimeoutReadWithTag tag: Int, elapsed: TimeInterval,
    bytesDone length: UInt
  ) -> TimeInterval {
    note(sock, .askedAboutRead(tag, elapsed, length))
    return extensions.withLock { $0.isEmpty ? 0 : $0.removeFirst() }
  }

  func socket(
    _ sock: GCDAsyncSocket, shouldTimeoutWriteWithTag tag: Int, elapsed: TimeInterval,
    bytesDone length: UInt
  ) -> TimeInterval {
    note(sock, .askedAboutWrite(tag, elapsed, length))
    return extensions.withLock { $0.isEmpty ? 0 : $0.removeFirst() }
  }

  func socketDidCloseReadStream(_ sock: GCDAsyncSocket) { note(sock, .readStreamClosed) }

  func socketDidDisconnect(_ sock: GCDAsyncSocket, withError err: (any Error)?) {
    note(sock, .disconnected(err))
  }

  func socketDidSecure(_ sock: GCDAsyncSocket) { note(sock, .secured) }

  func socket(
    _ sock: GCDAsyncSocket, didReceive trust: SecTrust,
    completionHandler: @escaping (Bool) -> Void
  ) {
    note(sock, .askedTrust)
    if let answer = hooks.withLock({ $0.trust })(trust) { completionHandler(answer) }
  }

  func socket(_ sock: GCDAsyncSocket, didFailReadWithTag tag: Int, error: any Error) {
    note(sock, .failedRead(tag, error))
  }

  func socket(_ sock: GCDAsyncSocket, didFailWriteWithTag tag: Int, error: any Error) {
    note(sock, .failedWrite(tag, error))
  }

  func socketDidDrain(_ sock: GCDAsyncSocket) { note(sock, .drained) }
}

/// Two connected sockets and a listener that goes when they do.
struct SocketPair {
  let recorder: Recorder
  let listener: GCDAsyncSocket
  let client: GCDAsyncSocket
  let server: GCDAsyncSocket

  init(_ recorder: Recorder = Recorder(), host: String = "127.0.0.1") throws {
    self.recorder = recorder
    listener = recorder.socket()
    try listener.accept(onPort: 0)
    client = recorder.socket()
    try client.connect(toHost: host, onPort: listener.localPort)
    try recorder.connected(client)
    server = try recorder.accepted()
  }
}
