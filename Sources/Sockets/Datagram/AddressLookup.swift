package import Kernel
package import Names

/// Asks for all addresses of a host, on its loop's thread. For datagrams, which cannot find out by
/// trying which address answers.
package final class AddressLookup {
  private let name: String
  private let families: [AddressFamily]
  private var answers: [AddressFamily: FamilyAnswer] = [:]
  private var resolution: Resolution?
  private var completion: ((Result<[IPAddress], SocketError>) -> Void)?

  /// Makes a look-up for the families that may be used, the preferred one first. `completion` is
  /// called once, on the loop, with at least one address; not any more after `cancel`.
  package init(
    _ name: String, families: [AddressFamily],
    completion: @escaping (Result<[IPAddress], SocketError>) -> Void
  ) {
    self.name = name
    self.families = families
    self.completion = completion
  }

  /// Begins; the completion may be called before this returns.
  package func start(on home: SocketLoop) {
    let resolver: Resolver
    do {
      resolver = try home.resolver()
    } catch {
      return finish(.failure(.name(name, .outOfResources(nil))))
    }
    let resolution = resolver.resolve(name) { [weak self] answer in self?.take(answer) }
    if completion != nil { self.resolution = resolution }
  }

  /// Gives up; nobody is called.
  package func cancel() {
    completion = nil
    resolution?.cancel()
    resolution = nil
  }

  private func take(_ answer: FamilyAnswer) {
    answers[answer.family] = answer
    guard families.allSatisfy({ answers[$0] != nil }) else { return }
    let addresses = families.flatMap { answers[$0]?.addresses ?? [] }
    guard addresses.isEmpty else { return finish(.success(addresses)) }
    let failures = families.compactMap { answers[$0]?.failure }
    // That there is no address of one family says less than what became of the other.
    let telling = failures.first { $0 != .noAddress } ?? .noAddress
    finish(.failure(.name(name, telling)))
  }

  private func finish(_ result: Result<[IPAddress], SocketError>) {
    let completion = self.completion
    cancel()
    completion?(result)
  }
}
