internal import Kernel
internal import Reactor

/// A connection on its way from its listener to whoever takes it.
struct HandedConnection: Sendable {
  let descriptor: HandedDescriptor
  let peer: SocketAddress
}

/// Connections that were accepted and not taken, and tasks that wait for one. When it is full the
/// rest waits in the kernel. Used on its loop's thread only.
final class AcceptQueue {
  typealias Outcome = Result<HandedConnection, SocketError>

  private struct Taker {
    let number: UInt64
    let suspension: Suspension<Outcome>
  }

  private let limit: Int
  private let file: FileStatus?
  private var acceptor: Acceptor?
  private var waiting: [HandedConnection] = []
  private var takers: [Taker] = []
  private var lastNumber: UInt64 = 0
  private var address: SocketAddress?

  init(
    _ listening: consuming Descriptor, on home: SocketLoop, limit: Int, file: FileStatus?
  ) {
    self.limit = max(1, limit)
    self.file = file
    address = try? listening.localAddress()
    acceptor = Acceptor(listening, on: home) { [weak self] accepted in self?.add(accepted) }
  }

  func open() { acceptor?.open() }

  private func add(_ accepted: consuming Accepted) {
    let peer = accepted.peer
    let handed = HandedConnection(
      descriptor: HandedDescriptor(accepted.descriptor()), peer: peer)
    if takers.isEmpty {
      waiting.append(handed)
      if waiting.count >= limit { acceptor?.hold() }
    } else {
      takers.removeFirst().suspension.resume(returning: .success(handed))
    }
  }

  /// The number of the next taker, by which it can be cancelled.
  func nextNumber() -> UInt64 {
    lastNumber += 1
    return lastNumber
  }

  func take(_ number: UInt64, _ suspension: Suspension<Outcome>) {
    if !waiting.isEmpty {
      suspension.resume(returning: .success(waiting.removeFirst()))
      acceptor?.open()
    } else if acceptor == nil {
      suspension.resume(returning: .failure(.closed))
    } else {
      takers.append(Taker(number: number, suspension: suspension))
    }
  }

  func cancel(_ number: UInt64) {
    guard let place = takers.firstIndex(where: { $0.number == number }) else { return }
    takers.remove(at: place).suspension.resume(returning: .failure(.cancelled))
  }

  func close() {
    guard let acceptor = acceptor.take() else { return }
    acceptor.close()
    if let file, case .unix(.path(let path)) = address { file.remove(at: path) }
    for handed in waiting { handed.descriptor.take().reset() }
    waiting = []
    let left = takers
    takers = []
    for taker in left { taker.suspension.resume(returning: .failure(.closed)) }
  }
}
