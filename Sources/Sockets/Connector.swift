internal import Kernel
internal import Names
internal import Reactor

/// Makes one connection: asks for the name, races the addresses (RFC 8305), and gives the first
/// that answers. Used on its loop's thread.
package final class Connector: TimerHandler {
  private let home: SocketLoop
  private let request: ConnectRequest
  private var completion: ((Result<Transport, SocketError>) -> Void)?
  /// Nil while there is one unix socket to connect to.
  private var race: ConnectionRace?
  private var pending: [ConnectionRace.Action] = []
  private var isPerforming = false
  private var attempts: [UInt32: ConnectAttempt] = [:]
  private var resolution: Resolution?
  private var timer: TimerToken?

  /// Makes a connector; `completion` is called once on the loop, unless it is cancelled before.
  package init(
    _ request: ConnectRequest, on home: SocketLoop,
    completion: @escaping (Result<Transport, SocketError>) -> Void
  ) {
    self.home = home
    self.request = request
    self.completion = completion
  }

  /// Begins. The completion may be called before this returns.
  package func start() {
    let deadline = request.timeout.map { home.loop.now + $0 } ?? .never
    switch request.destination {
    case .address(.ip(let address, _)):
      race = ConnectionRace(to: address, deadline: deadline, settings: request.race)
      perform { race, now in race.begin(now) }
    case .address(.unix(let name)):
      setTimer(deadline)
      attempt(0, .unix(name))
    case .host(let name, _):
      race = ConnectionRace(deadline: deadline, settings: request.race)
      perform { race, now in race.begin(now) }
      resolve(name)
    }
  }

  /// Gives up; nobody is called.
  package func cancel() {
    completion = nil
    clear()
  }

  private func resolve(_ name: String) {
    let resolver: Resolver
    do {
      resolver = try home.resolver()
    } catch {
      return finish(.failure(.name(name, .outOfResources(nil))))
    }
    let excluded = AddressFamily.allCases.filter { !request.usableFamilies.contains($0) }
    for family in excluded {
      perform { race, now in race.answered(FamilyAnswer(family, .failure(.noAddress)), now) }
    }
    let resolution = resolver.resolve(name) { [weak self] answer in
      guard let self, !excluded.contains(answer.family) else { return }
      self.perform { race, now in race.answered(answer, now) }
    }
    // The answers may have come, and the race may be over, before this line.
    if completion != nil { self.resolution = resolution }
  }

  /// The race, or a unix socket's time, has come to a deadline.
  package func timerFired(tag: UInt32) {
    timer = nil
    guard race != nil else { return finish(.failure(.timedOut(.connecting))) }
    perform { race, now in race.woke(now) }
  }

  // MARK: The race

  private func perform(_ input: (inout ConnectionRace, Instant) -> [ConnectionRace.Action]) {
    guard completion != nil, var current = race else { return }
    pending += input(&current, home.loop.now)
    race = current
    // An attempt may fail at once, and what follows from that comes after what is still to do.
    guard !isPerforming else { return }
    isPerforming = true
    defer { isPerforming = false }
    while !pending.isEmpty { perform(pending.removeFirst()) }
  }

  private func perform(_ action: ConnectionRace.Action) {
    switch action {
    case .attempt(let number, let address):
      attempt(number, .ip(address.scoped(request.interfaceIndex), port: port))
    case .abandon(let number): attempts.removeValue(forKey: number)?.abandon()
    case .wake(let time): setTimer(time)
    case .won(let number): win(number)
    case .lost(let failure): finish(.failure(error(for: failure)))
    }
  }

  private var port: UInt16 {
    switch request.destination {
    case .host(_, let port): port
    case .address(let address): address.port ?? 0
    }
  }

  private func setTimer(_ time: Instant) {
    if let timer = timer.take() { home.loop.cancel(timer) }
    guard time != .never else { return }
    timer = home.loop.setTimer(at: time, self)
  }

  private func attempt(_ number: UInt32, _ address: SocketAddress) {
    let attempt = ConnectAttempt(to: address, request, on: home) { [weak self] error in
      guard let self else { return }
      self.ended(number, error)
    }
    attempts[number] = attempt
    attempt.begin()
  }

  private func ended(_ number: UInt32, _ error: Errno?) {
    switch (race != nil, error) {
    case (true, let error?):
      attempts[number] = nil
      perform { race, now in race.failed(number, error, now) }
    case (true, nil): perform { race, now in race.connected(number, now) }
    case (false, let error?): finish(.failure(self.error(for: .connect(error))))
    case (false, nil): win(number)
    }
  }

  private func win(_ number: UInt32) {
    guard let winner = attempts.removeValue(forKey: number) else {
      preconditionFailure("an attempt that is not there has won")
    }
    do {
      finish(.success(try winner.transport()))
    } catch {
      finish(.failure(error))
    }
  }

  private func finish(_ result: Result<Transport, SocketError>) {
    guard let completion = completion.take() else { return }
    clear()
    completion(result)
  }

  private func clear() {
    if let timer = timer.take() { home.loop.cancel(timer) }
    resolution?.cancel()
    resolution = nil
    pending = []
    for attempt in attempts.values { attempt.abandon() }
    attempts = [:]
  }

  private func error(for failure: RaceFailure) -> SocketError {
    let host: String
    switch request.destination {
    case .host(let name, _):
      host = name
      // Its addresses led nowhere: the next connection asks anew.
      if let resolver = try? home.resolver() { resolver.forget(name) }
    case .address(let address): host = "\(address)"
    }
    switch failure {
    case .resolution(let failure): return .name(host, failure)
    case .timedOutResolving, .timedOutConnecting: return .timedOut(.connecting)
    case .refused, .connect: return .unreachable(host, failure)
    }
  }
}
