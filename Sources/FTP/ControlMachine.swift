/// What an FTP gateway does with the two directions of a control connection (RFC 959, 2428, 4217).
///
/// 1. Bytes of either side are cut into lines; what is no whole line of sensible length passes.
/// 2. A client's command goes on as it is, but for PASV, EPSV, PORT and EPRT, which become what the
///    server understands, and for what a gateway must refuse. Each joins the queue of commands that
///    wait for a reply.
/// 3. A server's line goes on as it is. The last line of a reply takes the front of the queue.
/// 4. Where that was a set-up of a data connection, its runner opens a listener (`Action.open`),
///    tells its port (`listening`), and the peer reads our port in place of the one written.
///
/// Of addresses that peers write nothing is used but the port, and no port under `leastPort`. What
/// is out of step passes: a mistake here costs a data connection, never a byte.
///
/// Pure: no descriptors, no clock.
public struct ControlMachine: Sendable {
  /// What AUTH is answered with.
  public enum SecurityPolicy: String, CaseIterable, Hashable, Sendable {
    /// 502: the client goes on in clear text or leaves.
    case refuse
    /// The server's answer; after it, bytes pass unread.
    case pass
  }

  /// Where a data connection leads that comes in at a listener of the gateway.
  public enum Route: Hashable, Sendable {
    /// Listen for the client; go to the server's address at this port.
    case passive(serverPort: UInt16)
    /// Listen for the server; go to the client's address at this port.
    case active(clientPort: UInt16)
  }

  /// What the runner is to do, in order.
  public enum Action: Equatable, Sendable {
    /// Write to the client.
    case toClient([UInt8])
    /// Write to the server.
    case toServer([UInt8])
    /// Open a listener and call `listening` before anything else.
    case open(Route)
    /// Close the listener that waits, if it still does.
    case closePending
  }

  /// What was met, for counters.
  public struct Tally: Hashable, Sendable {
    /// Commands that were answered here with a refusal.
    public var refusedCommands: UInt64 = 0
    /// Lines too long to be looked at.
    public var longLines: UInt64 = 0
    /// Times that replies and commands were found out of step.
    public var lostSteps: UInt64 = 0
    /// Set-ups asked for again in the other form.
    public var retries: UInt64 = 0
  }

  /// Commands that may wait for a reply; clients that pipeline have a handful.
  public static let outstandingLimit = 256
  /// Lower ports belong to services (RFC 2577).
  public static let leastPort: UInt16 = 1024

  // Constant.
  let policy: SecurityPolicy
  /// Our address as the client knows it.
  let clientSide: WireAddress
  /// Our address as the server knows it.
  let serverSide: WireAddress

  // What was read.
  var client = LineScanner()
  var server = LineScanner()
  var replies = ReplyTracker()
  /// Commands without a reply; a server begins with one of its own accord.
  var queue: [Outstanding] = [.plain(.greeting)]
  /// Verbs that the server has refused to know.
  var lacking: Set<DataVerb> = []
  var hasPromisedEPSV = false
  /// The runner opens a listener for this set-up.
  var awaited: SetUp?
  /// The client has said that it leaves, or may have, where nothing is read any more.
  public internal(set) var hasQuit = false
  var isTransparent = false
  /// The transfer in front of an ABOR has had its last reply.
  var isAbortAnswered = false
  var actions: [Action] = []
  var counted = Tally()

  /// Makes a machine for a control connection whose two sides have been connected.
  public init(policy: SecurityPolicy, clientSide: WireAddress, serverSide: WireAddress) {
    self.policy = policy
    self.clientSide = clientSide
    self.serverSide = serverSide
  }

  /// What was met so far.
  public var tally: Tally {
    var tally = counted
    tally.longLines = UInt64(client.longLines + server.longLines)
    return tally
  }

  /// The client sent bytes.
  public mutating func received(fromClient bytes: some Sequence<UInt8>) -> [Action] {
    client.append(bytes)
    return proceed()
  }

  /// The server sent bytes.
  public mutating func received(fromServer bytes: some Sequence<UInt8>) -> [Action] {
    server.append(bytes)
    return proceed()
  }

  /// The listener asked for is open at `port`, or could not be opened.
  public mutating func listening(at port: UInt16?) -> [Action] {
    guard let setUp = awaited.take() else { preconditionFailure("no listener was asked for") }
    switch setUp.direction {
    case .passive: answerPassive(setUp, port)
    case .active: sendActive(setUp, port)
    }
    return proceed()
  }

  /// The client's stream is over: what it sent of a line goes on.
  public mutating func clientEnded() -> [Action] {
    send(toServer: client.takeRest())
    return takeActions()
  }

  /// The server's stream is over: what it sent of a line goes on.
  public mutating func serverEnded() -> [Action] {
    send(toClient: server.takeRest())
    return takeActions()
  }

  private mutating func proceed() -> [Action] {
    while awaited == nil, !isTransparent {
      if let piece = server.next() {
        switch piece {
        case .line(let line): readServer(line)
        case .untouched(let bytes): send(toClient: bytes)
        }
      } else if let piece = client.next() {
        switch piece {
        case .line(let line): readClient(line)
        case .untouched(let bytes): send(toServer: bytes)
        }
      } else {
        break
      }
    }
    if isTransparent {
      send(toServer: client.takeRest())
      send(toClient: server.takeRest())
    }
    return takeActions()
  }

  private mutating func takeActions() -> [Action] {
    defer { actions = [] }
    return actions
  }

  // MARK: Writing

  mutating func send(toClient bytes: [UInt8]) {
    if !bytes.isEmpty { actions.append(.toClient(bytes)) }
  }

  mutating func send(toServer bytes: [UInt8]) {
    if !bytes.isEmpty { actions.append(.toServer(bytes)) }
  }

  mutating func say(toClient line: String) { send(toClient: Array("\(line)\r\n".utf8)) }
  mutating func say(toServer line: String) { send(toServer: Array("\(line)\r\n".utf8)) }

  // MARK: The queue

  mutating func enqueue(_ entry: Outstanding) {
    if queue.count >= ControlMachine.outstandingLimit {
      counted.lostSteps += 1
      removeFirst()
    }
    queue.append(entry)
  }

  /// A command has had its reply: what was held back behind it may be said.
  mutating func removeFirst() {
    queue.removeFirst()
    while case .answer(let line)? = queue.first {
      say(toClient: line)
      queue.removeFirst()
    }
  }

  /// Answers a command in the server's place, after the replies to the commands before it.
  mutating func answer(_ line: String) {
    if queue.isEmpty { say(toClient: line) } else { enqueue(.answer(line)) }
  }

  mutating func refuse(_ line: String) {
    counted.refusedCommands += 1
    answer(line)
  }
}

/// A verb that sets up a data connection.
enum DataVerb: String {
  case passive = "PASV"
  case extendedPassive = "EPSV"
  case port = "PORT"
  case extendedPort = "EPRT"

  /// The verb that does the same in the other form.
  var other: DataVerb {
    switch self {
    case .passive: .extendedPassive
    case .extendedPassive: .passive
    case .port: .extendedPort
    case .extendedPort: .port
    }
  }

  var isExtended: Bool { self == .extendedPassive || self == .extendedPort }
  var isPassive: Bool { self == .passive || self == .extendedPassive }
}

/// A data connection being set up.
struct SetUp: Equatable {
  enum Direction { case passive, active }

  /// What the client said.
  let asked: DataVerb
  /// What the server was told.
  var sent: DataVerb
  /// The listener's port, of an active one.
  var listener: UInt16?
  /// It was sent while a reply to something else went on.
  var isInsideReply = false

  var direction: Direction { sent.isPassive ? .passive : .active }
}

/// A command without its reply.
enum Outstanding: Equatable {
  enum Kind {
    case greeting
    case command
    /// It uses the data connection that was set up.
    case transfer
    case abort
    case authentication
  }

  case plain(Kind)
  case setUp(SetUp)
  /// What is said in the server's place when it is this command's turn.
  case answer(String)
}
