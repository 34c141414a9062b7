internal import Kernel
internal import Names
internal import Reactor

/// Where a session's datagrams go, and where they could go instead.
struct TargetChoice {
  /// The tunnel's target that is used or tried.
  var index = 0
  /// Its addresses, in the order of trying: one, or those of a name.
  var addresses: [SocketAddress] = []
  var position = 0
  /// Where the socket is connected to.
  var current: SocketAddress?
  /// What has come so far of a question, and how many families have answered.
  var answers: (addresses: [IPAddress], families: Int) = ([], 0)
  var question: (any NameQuestion)?
  var timer: TimerToken?
  var lastMove: Instant?
  var lastError = Errno.connectionRefused
  /// The question is a look whether the present address is still among the name's.
  var isRechecking = false
  /// A host or network has refused a datagram since the last move.
  var mustMove = false
  // Since the last look.
  var hasAsked = false
  var wasAnswered = false
}

// How a session gets to its target:
//
// 1. the tunnel's targets are tried in order: an address is connected to, a name is looked up and
//    its addresses are tried, IPv6 first; connecting fails at once where there is no route;
// 2. when the target refuses (ICMP), the session goes on to the name's next address, then to the
//    next target, and round again, at most once a second; a name is looked up anew first;
// 3. a session whose named target is silent asks the name again now and then, and moves when its
//    address is no longer among the answers. One that is answered stays where it is.
extension DatagramSession {
  /// The session has begun.
  func begin() {
    if home.wantsEvents {
      home.observer.happened(.accepted(tunnel: tunnel.name, number: number, client: client))
    }
    dial(tries: tunnel.targets.count)
  }

  var targetHasName: Bool {
    if case .name = tunnel.targets[choice.index] { return true }
    return false
  }

  /// Tries up to `tries` targets from the present one on.
  private func dial(tries: Int) {
    var left = tries
    while left > 0 {
      switch tunnel.targets[choice.index] {
      case .address(let address):
        choice.addresses = [address]
        if connectToAny(from: 0) { return }
      case .name(let host, _):
        if ask(host, tries: left) { return }
      }
      left -= 1
      choice.index = (choice.index + 1) % tunnel.targets.count
    }
    // A socket that there is goes on: nothing better was found.
    if !isOpen { end(because: .targetUnreachable(.system(choice.lastError))) }
  }

  /// Connects to the first of the present addresses that has a route.
  private func connectToAny(from start: Int) -> Bool {
    for position in start..<choice.addresses.count {
      let address = choice.addresses[position]
      tell(.connecting(tunnel: tunnel.name, number: number, target: address))
      do {
        choice.mustMove = false
        try connect(to: address)
        choice.position = position
        choice.current = address
        choice.wasAnswered = false
        if targetHasName { service.watchNames() }
        tell(.connected(tunnel: tunnel.name, number: number, target: address))
        return true
      } catch {
        choice.lastError = error
        tell(.refused(tunnel: tunnel.name, number: number, target: address, error: error))
      }
    }
    return false
  }

  private func tell(_ event: @autoclosure () -> FlowEvent) {
    if home.wantsEvents { home.observer.happened(event()) }
  }

  // MARK: Refusals

  /// A host or network has refused an earlier datagram; the error is cleared.
  func wasRefused(_ error: Errno) {
    home.counters.datagrams.errorsCleared += 1
    if let current = choice.current {
      tell(.refused(tunnel: tunnel.name, number: number, target: current, error: error))
    }
    let hasOther = tunnel.targets.count > 1 || targetHasName
    guard hasOther, choice.question == nil else { return }
    if let last = choice.lastMove, last + DatagramLimits.moveInterval > home.loop.now { return }
    choice.mustMove = true
  }

  /// Goes to the next address or target.
  func moveOn() {
    choice.mustMove = false
    choice.lastMove = home.loop.now
    home.counters.datagrams.sessionsMoved += 1
    if connectToAny(from: choice.position + 1) { return }
    if case .name(let host, _) = tunnel.targets[choice.index] {
      (try? home.names())?.forget(host)
    }
    choice.index = (choice.index + 1) % tunnel.targets.count
    dial(tries: tunnel.targets.count)
  }

  // MARK: Names

  /// Looks again whether a silent target's name still leads to it.
  func recheck() {
    defer {
      choice.hasAsked = false
      choice.wasAnswered = false
    }
    guard isOpen, choice.hasAsked, !choice.wasAnswered, choice.question == nil,
      case .name(let host, _) = tunnel.targets[choice.index]
    else { return }
    choice.isRechecking = true
    _ = ask(host, tries: 1)
  }

  /// Asks for a name's addresses; false when that is not possible.
  private func ask(_ host: String, tries: Int) -> Bool {
    guard let names = try? home.names() else {
      choice.lastError = .hostUnreachable
      return false
    }
    choice.answers = ([], 0)
    let index = choice.index
    let question = names.ask(host) { [weak self] answer in
      guard let self, !self.isOver, self.choice.index == index else { return }
      self.take(answer, tries: tries)
    }
    // Both answers may have come before this line.
    if choice.answers.families < 2, !isOver { choice.question = question }
    return true
  }

  private func take(_ answer: FamilyAnswer, tries: Int) {
    choice.answers.families += 1
    if answer.addresses.first?.isIPv6 == true {
      choice.answers.addresses = answer.addresses + choice.answers.addresses
    } else {
      choice.answers.addresses += answer.addresses
    }
    if choice.answers.families == 2 {
      resolved(tries: tries)
    } else if !answer.addresses.isEmpty {
      choice.timer = home.loop.setTimer(
        at: home.loop.now + DatagramLimits.resolutionDelay, self)
    }
  }

  /// The other family's answer takes too long: what there is must do.
  func resolutionDelayIsOver() {
    choice.timer = nil
    guard choice.question != nil else { return }
    resolved(tries: 1)
  }

  private func resolved(tries: Int) {
    let found = choice.answers.addresses
    choice.answers.families = 2
    stopAsking()
    guard case .name(_, let port) = tunnel.targets[choice.index] else { return }
    let addresses = found.map { SocketAddress.ip($0, port: port) }
    if choice.isRechecking {
      choice.isRechecking = false
      guard let current = choice.current, !addresses.isEmpty, !addresses.contains(current)
      else { return }
      home.counters.datagrams.sessionsMoved += 1
    }
    if !addresses.isEmpty {
      choice.addresses = addresses
      if connectToAny(from: 0) { return }
    } else {
      choice.lastError = .hostUnreachable
    }
    guard tries > 1 else {
      if !isOpen { end(because: .targetUnreachable(.system(choice.lastError))) }
      return
    }
    choice.index = (choice.index + 1) % tunnel.targets.count
    dial(tries: tries - 1)
  }

  private func stopAsking() {
    choice.question?.cancel()
    choice.question = nil
    if let timer = choice.timer.take() { home.loop.cancel(timer) }
  }

  /// Lets go of what was asked.
  func leaveTarget() {
    stopAsking()
  }
}
