internal import Kernel
public import Reactor

/// Names to addresses: asked of DNS by c-ares on one event loop, and remembered.
///
/// 1. An address in text, and `localhost`, answer themselves.
/// 2. What is remembered answers at once. Otherwise the hosts file is read: a name that is in it is
///    answered from there in both families.
/// 3. Otherwise DNS is asked, both families at once and each on its own; all who wait for a name
///    share the questions. The order of a family's addresses is the server's (RFC 6724 is not
///    applied): `ConnectionRace` finds out which of them work.
/// 4. Each reply is remembered for its life, and passed to all who wait.
///
/// No thread is blocked and NSS is not used. While nothing is asked the resolver has no descriptor
/// and no timer. Everything happens on the loop's thread, and so does the end of the resolver. The
/// process must ignore SIGPIPE, or block it on that thread: c-ares writes to TCP sockets.
public final class Resolver {
  private let loop: EventLoop
  private let settings: ResolverSettings
  private var servers: NameChannel
  private var hosts: NameChannel
  private var search: (domains: Int, leastDots: Int)
  private var cache: AnswerCache
  private var flights: [String: Flight] = [:]
  private var waiters = 0
  private var stamp: FileStamp?
  private var nextLook: Instant
  private var isPassingOn = false
  private var isShutDown = false
  private var counts = ResolverCounters()

  /// Makes a resolver for callers on `loop`.
  public init(loop: EventLoop, settings: ResolverSettings = .init()) throws(NamesError) {
    self.loop = loop
    self.settings = settings
    cache = AnswerCache(settings)
    stamp = FileStamp(of: settings.configurationPath)
    nextLook = loop.now + settings.configurationInterval
    let answered = WeakAnswered()
    servers = try NameChannel(
      .servers, on: loop, settings: settings, answered: { answered.resolver?.passOn() })
    do {
      hosts = try NameChannel(.hostsFile, on: loop, settings: settings, answered: {})
    } catch {
      servers.close()
      throw error
    }
    search = servers.searchList()
    answered.resolver = self
  }

  deinit {
    servers.close()
    hosts.close()
    // Nobody is called any more; what the callbacks hold, perhaps their resolutions, is let go.
    for flight in flights.values {
      for waiter in flight.waiters { waiter.cancel() }
    }
  }

  /// What the resolver has done so far.
  public var counters: ResolverCounters {
    var counters = counts
    counters.evictions = cache.evictions
    counters.unwatched += servers.unwatched
    return counters
  }

  /// Asks for a name's addresses. `answered` is called once for each family, on the loop and
  /// possibly before this returns; not any more after the resolution was cancelled.
  @discardableResult
  public func resolve(
    _ name: String, answered: @escaping (FamilyAnswer) -> Void
  ) -> Resolution {
    counts.requests += 1
    let waiter = Waiter(answered)
    if isShutDown {
      waiter.answerBoth(.failure(.cancelled))
    } else {
      switch AskedName(name) {
      case .address(let address):
        let family: AddressFamily = address.isIPv6 ? .v6 : .v4
        waiter.answer(FamilyAnswer(family, .addresses([address])))
        waiter.answer(FamilyAnswer(family.other, .failure(.noAddress)))
      case .localhost:
        waiter.answer(FamilyAnswer(.v6, .addresses([.loopback6])))
        waiter.answer(FamilyAnswer(.v4, .addresses([.loopback4])))
      case .invalid: waiter.answerBoth(.failure(.badName))
      case .domain(let domain): resolve(domain, waiter)
      }
    }
    return Resolution(waiter)
  }

  /// An address of the name led nowhere: the next `resolve` asks again, at most once a second.
  public func forget(_ name: String) {
    switch AskedName(name) {
    case .domain(let domain): cache.forget(domain.key)
    case .address, .localhost, .invalid: break
    }
  }

  /// Ends every resolution with `cancelled`, and every later one.
  public func shutDown() {
    isShutDown = true
    servers.close()
    hosts.close()
    let ended = flights
    flights = [:]
    waiters = 0
    for flight in ended.values {
      for waiter in flight.waiters { waiter.answerBoth(.failure(.cancelled)) }
    }
  }
}

// MARK: Asking

extension Resolver {
  private func resolve(_ name: DomainName, _ waiter: Waiter) {
    lookAtConfiguration()
    var known = FamilyPair<FamilyAnswer.Content?>(repeating: nil)
    var due: [AddressFamily] = []
    for family in AddressFamily.allCases {
      switch cache.find(name.key, family, loop.now) {
      case .fresh(let content): known[family] = content
      case .stale(let content, let isDue):
        known[family] = content
        if isDue { due.append(family) }
      case .missing: due.append(family)
      }
    }
    if !due.isEmpty, let replies = readHosts(name) {
      for family in AddressFamily.allCases {
        known[family] = cache.store(name.key, family, replies[family], loop.now)
      }
      due = []
    }
    if !due.isEmpty { join(name, due, known, waiter) }
    for family in AddressFamily.allCases {
      guard let content = known[family] else { continue }
      count(content)
      waiter.answer(FamilyAnswer(family, content))
    }
    passOn()
  }

  /// What the hosts file says of a name, nil when it says nothing.
  private func readHosts(_ name: DomainName) -> FamilyPair<FamilyReply>? {
    hosts.ask(NameQuestion(name: name, scope: .search))
    switch hosts.takeReply()?.content {
    case .search(let replies):
      return replies == FamilyPair(repeating: .failed(.notFound)) ? nil : replies
    case .family, nil: return nil
    }
  }

  /// Has the families that are due asked for, unless they are; and waits for those not known.
  private func join(
    _ name: DomainName, _ due: [AddressFamily],
    _ known: FamilyPair<FamilyAnswer.Content?>, _ waiter: Waiter
  ) {
    let waits = AddressFamily.allCases.contains { known[$0] == nil }
    let isFull = flights[name.key] == nil && flights.count >= settings.lookupLimit
    if isFull || waits && waiters >= settings.waiterLimit {
      counts.refusals += 1
      for family in AddressFamily.allCases where known[family] == nil {
        waiter.answer(FamilyAnswer(family, .failure(.outOfResources(nil))))
      }
      return
    }
    let flight = flights[name.key] ?? Flight(name, searchRule(for: name))
    flights[name.key] = flight
    if waits {
      flight.waiters.append(waiter)
      waiters += 1
    }
    perform(flight.lookup.want(due), of: flight)
  }

  private func searchRule(for name: DomainName) -> SearchRule {
    SearchRule(name, hasDomains: search.domains > 0, leastDots: search.leastDots)
  }

  /// Puts the questions among `actions` and returns the answers.
  @discardableResult
  private func perform(
    _ actions: [Lookup.Action], of flight: Flight
  ) -> [(AddressFamily, FamilyReply)] {
    var answers: [(AddressFamily, FamilyReply)] = []
    for action in actions {
      switch action {
      case .answer(let family, let reply): answers.append((family, reply))
      case .ask(let scope):
        counts.queries += 1
        servers.ask(NameQuestion(name: flight.name, scope: scope))
      }
    }
    return answers
  }

  private func count(_ content: FamilyAnswer.Content) {
    switch content {
    case .addresses, .failure: counts.fromMemory += 1
    case .stale: counts.stale += 1
    }
  }
}

// MARK: Answering

extension Resolver {
  /// Passes on the replies that have come. A callback that resolves more adds to them.
  private func passOn() {
    guard !isPassingOn else { return }
    isPassingOn = true
    defer { isPassingOn = false }
    while let reply = servers.takeReply() {
      guard let flight = flights[reply.name.key] else { continue }
      let actions =
        switch reply.content {
        case .family(let family, let reply): flight.lookup.answered(family, reply)
        case .search(let replies): flight.lookup.searched(replies)
        }
      let answers = perform(actions, of: flight).map { family, reply in
        FamilyAnswer(family, cache.store(flight.name.key, family, reply, loop.now))
      }
      // Before anybody is called: who resolves the name anew must not find a flight that is over.
      let waiting = flight.waiters
      if flight.lookup.isDone {
        flights[flight.name.key] = nil
        waiters -= waiting.count
      }
      for answer in answers {
        for waiter in waiting {
          if answer.isStale, waiter.wants(answer.family) { counts.stale += 1 }
          waiter.answer(answer)
        }
      }
    }
  }

  /// Takes a changed configuration over: new servers are asked what the old ones were asked.
  private func lookAtConfiguration() {
    guard loop.now >= nextLook else { return }
    nextLook = loop.now + settings.configurationInterval
    let present = FileStamp(of: settings.configurationPath)
    guard present != stamp else { return }
    let answered = WeakAnswered()
    answered.resolver = self
    let channel: NameChannel
    do {
      channel = try NameChannel(
        .servers, on: loop, settings: settings, answered: { answered.resolver?.passOn() })
    } catch {
      counts.failedReconfigurations += 1
      return
    }
    counts.reconfigurations += 1
    counts.unwatched += servers.unwatched
    servers.close()
    servers = channel
    search = channel.searchList()
    stamp = present
    cache.expireAll(loop.now)
    for flight in flights.values { perform(flight.lookup.restart(), of: flight) }
  }
}

/// A name that is being asked for, and who waits for it.
private final class Flight {
  let name: DomainName
  var lookup: Lookup
  var waiters: [Waiter] = []

  init(_ name: DomainName, _ rule: SearchRule) {
    self.name = name
    lookup = Lookup(rule)
  }
}

/// The way from a channel to its resolver, which owns it.
private final class WeakAnswered {
  weak var resolver: Resolver?
}
