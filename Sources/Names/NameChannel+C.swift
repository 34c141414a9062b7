internal import CAres
internal import Glibc
internal import Kernel
internal import Reactor

/// One c-ares channel on one loop: its sockets and its next timeout are the loop's.
///
/// 1. A question goes to c-ares, which opens sockets and says through its callback what they wait
///    for; the loop watches them, level-triggered, since c-ares may leave bytes behind.
/// 2. Readiness and the one timer go to c-ares, which calls back with results.
/// 3. A callback only notes its reply. Replies are taken when c-ares has returned, so that nobody
///    calls into it, or ends it, from within.
///
/// While nothing is asked there is no socket and no timer. On the loop's thread only.
@safe final class NameChannel: EventHandler, TimerHandler {
  /// Where c-ares looks, its option `lookups`.
  enum Source: String {
    case servers = "b"
    case hostsFile = "f"
  }

  private let source: Source
  private let loop: EventLoop
  private let settings: ResolverSettings
  private var channel: OpaquePointer?
  private var registrations: [Int32: Registration] = [:]
  private var timer: TimerToken?
  private var replies: ArraySlice<NameReply> = []
  /// Called when replies have come outside of `ask`.
  private let answered: () -> Void
  /// Sockets that could not be watched.
  private(set) var unwatched: UInt64 = 0

  init(
    _ source: Source, on loop: EventLoop, settings: ResolverSettings,
    answered: @escaping () -> Void
  ) throws(NamesError) {
    self.source = source
    self.loop = loop
    self.settings = settings
    self.answered = answered
    guard NameLibrary.status == ARES_SUCCESS.code else {
      throw .library(code: NameLibrary.status)
    }
    try open()
    do {
      try setServers()
    } catch {
      close()
      throw error
    }
  }

  private var isOpen: Bool { unsafe channel != nil }

  deinit {
    precondition(!isOpen, "a channel is closed before it is let go")
  }

  private func open() throws(NamesError) {
    var options = unsafe ares_options()
    unsafe options.timeout = max(1, settings.queryTimeout.wholeMilliseconds)
    unsafe options.tries = max(1, settings.tries)
    unsafe options.sock_state_cb = { context, socket, readable, writable in
      // c-ares gives back the pointer below; the channel outlives what it has made.
      guard let context = unsafe context else { return }
      let owner = unsafe Unmanaged<NameChannel>.fromOpaque(context).takeUnretainedValue()
      owner.socketChanged(socket, readable != 0, writable != 0)
    }
    unsafe options.sock_state_cb_data = Unmanaged.passUnretained(self).toOpaque()
    let mask =
      ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_SOCK_STATE_CB | ARES_OPT_LOOKUPS
      | ARES_OPT_RESOLVCONF
    // c-ares copies both texts and only reads them, though its struct does not say `const`.
    let status = unsafe source.rawValue.withCString { lookups in
      unsafe settings.configurationPath.withCString { path in
        unsafe options.lookups = UnsafeMutablePointer(mutating: lookups)
        unsafe options.resolvconf_path = UnsafeMutablePointer(mutating: path)
        return unsafe ares_init_options(&channel, &options, mask)
      }
    }
    guard status == ARES_SUCCESS.code else {
      unsafe channel = nil
      throw status == ARES_ENOMEM.code ? .outOfMemory : .library(code: status)
    }
  }

  private func setServers() throws(NamesError) {
    guard !settings.servers.isEmpty else { return }
    let list = settings.servers.map(\.description).joined(separator: ",")
    let status = unsafe ares_set_servers_ports_csv(channel, list)
    if status == ARES_ENOMEM.code { throw .outOfMemory }
    guard status == ARES_SUCCESS.code else { throw .badServers(list) }
  }

  /// Ends every question without a reply, closes every socket. Not from within a callback of
  /// c-ares.
  func close() {
    guard let ended = unsafe channel else { return }
    unsafe channel = nil
    unsafe ares_destroy(ended)
    replies = []
    if let timer { loop.cancel(timer) }
    timer = nil
  }

  /// The number of search domains and the least dots of a name that is asked for as it stands.
  func searchList() -> (domains: Int, leastDots: Int) {
    var options = unsafe ares_options()
    var mask: Int32 = 0
    // c-ares fills the struct with copies of its own, which it frees below.
    guard unsafe ares_save_options(channel, &options, &mask) == ARES_SUCCESS.code else {
      return (0, 1)
    }
    defer { unsafe ares_destroy_options(&options) }
    return unsafe (Int(options.ndomains), Int(options.ndots))
  }

  // MARK: Asking

  /// Puts a question; the reply may be there at once.
  func ask(_ question: NameQuestion) {
    // c-ares calls back exactly once for each question, at the latest when it is destroyed: the
    // retain made here is taken back there.
    let asked = unsafe Unmanaged.passRetained(AskedQuestion(question, self)).toOpaque()
    switch question.scope {
    case .family(let family):
      let type: ns_type = family == .v6 ? ns_t_aaaa : ns_t_a
      unsafe ares_query(
        channel, question.name.text, Int32(ns_c_in.rawValue), Int32(type.rawValue),
        NameChannel.familyAnswered, asked)
    case .search:
      var hints = ares_addrinfo_hints()
      hints.ai_flags = ARES_AI_NOSORT | (settings.readsHostsVariable ? ARES_AI_ENVHOSTS : 0)
      hints.ai_family = AF_UNSPEC
      unsafe ares_getaddrinfo(
        channel, question.name.text, nil, &hints, NameChannel.searchAnswered, asked)
    }
    setTimer()
  }

  /// The next reply that has come.
  func takeReply() -> NameReply? { replies.popFirst() }

  fileprivate func note(_ reply: NameReply) {
    if isOpen { replies.append(reply) }
  }

  // MARK: Events

  func handle(_ readiness: Readiness, tag: UInt32) {
    let socket = Int32(bitPattern: tag)
    let failed = !readiness.isDisjoint(with: [.error, .hungUp])
    let reads = failed || readiness.contains(.readable)
    let writes = failed || readiness.contains(.writable)
    process(reads ? socket : ARES_SOCKET_BAD, writes ? socket : ARES_SOCKET_BAD)
  }

  func timerFired(tag: UInt32) {
    timer = nil
    process(ARES_SOCKET_BAD, ARES_SOCKET_BAD)
  }

  private func process(_ readable: Int32, _ writable: Int32) {
    unsafe ares_process_fd(channel, readable, writable)
    setTimer()
    if !replies.isEmpty { answered() }
  }

  private func setTimer() {
    if let timer { loop.cancel(timer) }
    timer = nil
    var time = timeval()
    guard isOpen, unsafe ares_timeout(channel, nil, &time) != nil else { return }
    let wait = Duration.seconds(time.tv_sec) + .microseconds(time.tv_usec)
    timer = loop.setTimer(at: loop.now + wait, self)
  }

  /// c-ares wants other events of a socket, or is about to close it.
  private func socketChanged(_ number: Int32, _ readable: Bool, _ writable: Bool) {
    var wanted: Readiness = []
    if readable { wanted.insert(.readable) }
    if writable { wanted.insert(.writable) }
    // The socket is c-ares's: it is borrowed for the call and not closed here.
    let socket = Descriptor(adopting: number)
    let registration = registrations[number]
    do {
      if let registration, wanted.isEmpty {
        registrations[number] = nil
        loop.unwatch(registration, socket)
      } else if let registration {
        try loop.modify(registration, socket, for: wanted)
      } else if !wanted.isEmpty {
        registrations[number] = try loop.watch(
          socket, self, tag: UInt32(bitPattern: number), for: wanted)
      }
    } catch {
      unwatched += 1
    }
    _ = socket.release()
  }
}

/// A question while c-ares has it.
private final class AskedQuestion {
  let question: NameQuestion
  unowned let channel: NameChannel

  init(_ question: NameQuestion, _ channel: NameChannel) {
    self.question = question
    self.channel = channel
  }
}

extension NameChannel {
  private static let familyAnswered: ares_callback = { context, status, _, bytes, count in
    guard let context = unsafe context else { return }
    let asked = unsafe Unmanaged<AskedQuestion>.fromOpaque(context).takeRetainedValue()
    switch asked.question.scope {
    case .search: break
    case .family(let family):
      let reply = unsafe FamilyReply(family, status: status, bytes: bytes, count: count)
      asked.channel.note(
        NameReply(name: asked.question.name, content: .family(family, reply)))
    }
  }

  private static let searchAnswered: ares_addrinfo_callback = { context, status, _, result in
    guard let context = unsafe context else { return }
    let asked = unsafe Unmanaged<AskedQuestion>.fromOpaque(context).takeRetainedValue()
    // A file that has not got the name leaves c-ares with the status that it began with.
    let isMissing = asked.channel.source == .hostsFile && status != ARES_SUCCESS.code
    let replies = unsafe FamilyPair(
      status: isMissing ? ARES_ENOTFOUND.code : status, result: result)
    unsafe ares_freeaddrinfo(result)
    asked.channel.note(NameReply(name: asked.question.name, content: .search(replies)))
  }
}

/// c-ares as a whole, initialised once in the process.
enum NameLibrary {
  static let status = ares_library_init(ARES_LIB_INIT_ALL)
}
