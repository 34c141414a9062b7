public import Kernel

/// Where names are asked for, and the waits and limits of a resolver.
public struct ResolverSettings: Hashable, Sendable {
  /// The file that names servers and search domains; it is looked at again while names are asked.
  public var configurationPath = "/etc/resolv.conf"
  /// The least time between two looks at that file.
  public var configurationInterval = Duration.seconds(1)
  /// Servers to ask in place of the file's, with their ports; unix sockets are none.
  public var servers: [SocketAddress] = []
  /// True when the variable CARES_HOSTS may name a file to read in place of `/etc/hosts`: for tests
  /// only, since what a privileged process believes does not come from its environment.
  public var readsHostsVariable = false

  /// How long one server has for its first answer; each further round of tries has twice as long.
  /// Together with `tries` this must leave a flow time to connect (10 s over all its targets).
  public var queryTimeout = Duration.seconds(2)
  /// How often each server is asked.
  public var tries: Int32 = 2

  /// The shortest life of a good answer, against a query for every connection.
  public var leastLife = Duration.seconds(1)
  /// The longest life of a good answer: an address that is wrong for a day is a day's outage.
  public var greatestLife = Duration.seconds(3600)
  /// The life of a good answer that gives none, and of one from the hosts file.
  public var defaultLife = Duration.seconds(5)
  /// The life of an answer that there is no name or no address: names are made while people wait.
  public var negativeLife = Duration.seconds(5)
  /// The life of a failure of DNS itself, so that an outage is not answered with a flood.
  public var failureLife = Duration.seconds(1)
  /// For how long after a failure DNS is held to be down: an expired answer is then given at once,
  /// while it is asked for again, instead of after another timeout.
  public var outageLife = Duration.seconds(10)
  /// How long an expired answer may still be used while DNS is down.
  public var staleLife = Duration.seconds(3600)
  /// The least time between two queries for a name that `forget` made.
  public var forgetInterval = Duration.seconds(1)

  /// Names remembered; the one longest unused makes room.
  public var capacity = 1024
  /// Names asked for at once; more fail with `outOfResources`. c-ares takes a socket for each
  /// server, not for each name, so this bounds memory and the load on the server.
  public var lookupLimit = 512
  /// Callers that wait for an answer, over all names; a flow is one.
  public var waiterLimit = 65_536

  /// The system's servers and the usual limits.
  public init() {}
}

/// What a resolver has done, for reports.
public struct ResolverCounters: Hashable, Sendable {
  /// Names given to `resolve`.
  public internal(set) var requests: UInt64 = 0
  /// Questions put to name servers, one for each family or search.
  public internal(set) var queries: UInt64 = 0
  /// Family answers that were still fresh.
  public internal(set) var fromMemory: UInt64 = 0
  /// Family answers that had expired and were given since DNS is down.
  public internal(set) var stale: UInt64 = 0
  /// Names that made room for others.
  public internal(set) var evictions: UInt64 = 0
  /// Requests refused at a limit.
  public internal(set) var refusals: UInt64 = 0
  /// Times that the configuration had changed.
  public internal(set) var reconfigurations: UInt64 = 0
  /// Times that it had changed and could not be taken over.
  public internal(set) var failedReconfigurations: UInt64 = 0
  /// Sockets to servers that could not be watched; their queries time out.
  public internal(set) var unwatched: UInt64 = 0
}
