/// What servers say.
extension ControlMachine {
  /// Replies that say that a verb is not known, or not for this family.
  private static let unknown: Set<Int> = [500, 501, 502, 504, 522]
  /// Replies to a transfer or its end, which no set-up has.
  private static let ofTransfers: Set<Int> = [225, 226, 426, 451]

  mutating func readServer(_ line: [UInt8]) {
    let text = ControlText(line)
    if replies.openCode != nil, endsForgottenReply(text) { replies.giveUp() }
    switch replies.see(text) {
    case .part: send(toClient: line)
    case .last(let code, let isWhole): finish(line, text, code, isWhole: isWhole)
    }
  }

  /// Some servers end a reply with another code than it began with. A set-up that the client asked
  /// for meanwhile is answered by its own code all the same.
  private func endsForgottenReply(_ text: ControlText) -> Bool {
    guard case .setUp(let setUp)? = firstSetUp, setUp.isInsideReply, setUp.direction == .passive
    else { return false }
    return port(in: text, code: text.reply?.code ?? 0, for: setUp) != nil
  }

  private var firstSetUp: Outstanding? {
    queue.first { entry in
      if case .setUp = entry { return true }
      return false
    }
  }

  private mutating func finish(
    _ line: [UInt8], _ text: ControlText, _ code: Int, isWhole: Bool
  ) {
    // A preliminary reply is followed by another to the same command.
    if (100..<200).contains(code) { return send(toClient: line) }
    findStep(code, text)
    switch queue.first {
    case .setUp(let setUp):
      finishSetUp(setUp, line, text, code, isWhole: isWhole)
    case .plain(let kind):
      send(toClient: line)
      finish(kind, code)
      removeFirst()
    case .answer, nil:
      // Nobody asked: 421, or a second reply to an ABOR.
      send(toClient: line)
    }
  }

  private mutating func finish(_ kind: Outstanding.Kind, _ code: Int) {
    switch kind {
    case .transfer:
      if code >= 400 { actions.append(.closePending) }
      isAbortAnswered = queue.dropFirst().first == .plain(.abort)
    case .abort:
      isAbortAnswered = false
      actions.append(.closePending)
    case .authentication:
      isTransparent = code == 234 || code == 334
      if isTransparent { hasQuit = true }
    case .greeting, .command: break
    }
  }

  /// Where a reply can only belong to a set-up further back, the commands before it were answered
  /// without our seeing it.
  private mutating func findStep(_ code: Int, _ text: ControlText) {
    guard code == 227 || code == 229 else { return }
    if case .setUp? = queue.first { return }
    guard case .setUp(let setUp)? = firstSetUp, setUp.direction == .passive,
      port(in: text, code: code, for: setUp) != nil
    else { return }
    counted.lostSteps += 1
    while let first = queue.first {
      if case .setUp = first { return }
      removeFirst()
    }
  }

  // MARK: Set-ups

  private mutating func finishSetUp(
    _ setUp: SetUp, _ line: [UInt8], _ text: ControlText, _ code: Int, isWhole: Bool
  ) {
    if ControlMachine.ofTransfers.contains(code) { return send(toClient: line) }
    if code >= 400 { return refused(setUp, line, code, isWhole: isWhole) }
    switch setUp.direction {
    case .active:
      send(toClient: line)
      removeFirst()
    case .passive:
      // 220, 200: the reply to something that was answered twice.
      guard code == expectedCode(setUp) else { return send(toClient: line) }
      guard let port = port(in: text, code: code, for: setUp), port >= ControlMachine.leastPort
      else {
        counted.refusedCommands += 1
        say(toClient: "425 The server named no port that may be used.")
        return removeFirst()
      }
      actions.append(.open(.passive(serverPort: port)))
      awaited = setUp
    }
  }

  private func expectedCode(_ setUp: SetUp) -> Int { setUp.sent == .passive ? 227 : 229 }

  private func port(in text: ControlText, code: Int, for setUp: SetUp) -> UInt16? {
    guard code == expectedCode(setUp) else { return nil }
    let rest = text.bytes.dropFirst(4)
    return setUp.sent == .passive
      ? DataForms.sixNumbers(in: rest) : DataForms.extendedPassive(in: rest)
  }

  private mutating func refused(_ setUp: SetUp, _ line: [UInt8], _ code: Int, isWhole: Bool) {
    if ControlMachine.unknown.contains(code) {
      lacking.insert(setUp.sent)
      // Commands that were sent behind it have their replies before a second attempt would.
      let hasOther = serverSide.family == .v4 && !lacking.contains(setUp.sent.other)
      if hasOther, isWhole, queue.count == 1 {
        var again = setUp
        again.sent = setUp.sent.other
        queue[0] = .setUp(again)
        counted.retries += 1
        return tellServer(again)
      }
    }
    send(toClient: line)
    actions.append(.closePending)
    removeFirst()
  }

  /// The listener for the client is open, or not.
  mutating func answerPassive(_ setUp: SetUp, _ port: UInt16?) {
    if let port {
      say(
        toClient: setUp.asked == .passive
          ? clientSide.reply227(port) : WireAddress.reply229(port))
    } else {
      say(toClient: "425 No data port is free.")
    }
    removeFirst()
  }
}
