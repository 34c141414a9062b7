internal import Glibc
internal import Kernel

/// What a process waits for when it exits: bytes that its streams have taken are in this process's
/// memory for a moment, where on Darwin they are in the kernel at once.
final class ExitWait: Sendable {
  /// The longest that an exit is held up.
  static let patience = Duration.seconds(2)
  static let shared = ExitWait()

  private let links = Lock<[ObjectIdentifier: StreamLink]>([:])

  private init() {
    atexit {
      let links = ExitWait.shared.links.withLock { Array($0.values) }
      ExitWait.wait(for: links, until: Instant.now() + ExitWait.patience)
    }
  }

  /// A link has a connection, or makes one.
  func add(_ link: StreamLink) {
    links.withLock { $0[ObjectIdentifier(link)] = link }
  }

  /// Its connection is over.
  func remove(_ link: StreamLink) {
    _ = links.withLock { $0.removeValue(forKey: ObjectIdentifier(link)) }
  }

  /// Waits until everything written is with the kernel and what was closed has ended.
  static func wait(for links: [StreamLink], until deadline: Instant) {
    for link in links {
      _ = link.shared.wait(until: deadline) { state in
        let isDone = !state.rules.isOver && state.rules.output.queued == 0
        return state.driver == nil || isDone ? () : nil
      }
    }
  }
}
