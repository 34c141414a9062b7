internal import Kernel
internal import Names
internal import Reactor

/// A task's question for the addresses of a host; one at a time.
actor AddressQuestion {
  nonisolated let home: SocketLoop
  private var answer: Result<[IPAddress], SocketError>?
  private var task: Suspension<WaitEnd>?

  init(_ home: SocketLoop) {
    self.home = home
  }

  /// The host's addresses, at least one; those of IPv6 first.
  func addresses(of host: String) async throws(SocketError) -> [IPAddress] {
    answer = nil
    let lookup = AddressLookup(host, families: [.v6, .v4]) { result in self.take(result) }
    lookup.start(on: home)
    if answer == nil {
      let loop = home.loop
      _ = await withTaskCancellationHandler {
        await Suspension<WaitEnd>.wait(isolation: self) { waiting in
          if answer == nil { task = waiting } else { waiting.resume(returning: .ready) }
        }
      } onCancel: {
        loop.post { self.assumeIsolated { $0.giveUp() } }
      }
      lookup.cancel()
    }
    guard let answer else { throw .cancelled }
    return try answer.get()
  }

  private func take(_ result: Result<[IPAddress], SocketError>) {
    answer = result
    resume(.ready)
  }

  private func giveUp() {
    resume(.cancelled)
  }

  private func resume(_ end: WaitEnd) {
    let waiting = task
    task = nil
    waiting?.resume(returning: end)
  }
}
