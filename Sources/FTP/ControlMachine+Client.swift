/// What clients say.
extension ControlMachine {
  /// They need what a gateway cannot give: an address of another family, a second server, or the
  /// choice of a server by the name that the client knows it by.
  private static let unrelayable: Set<String> = ["HOST", "LPRT", "LPSV", "SPSV", "CPSV"]
  private static let transfers: Set<String> = [
    "RETR", "STOR", "STOU", "APPE", "LIST", "NLST", "MLSD",
  ]

  mutating func readClient(_ sent: [UInt8]) {
    let line = ControlText.withBothEnds(sent)
    let text = ControlText(line)
    guard let (verb, argument) = text.command else { return send(toServer: line) }
    forgetAnsweredAbort()
    if let dataVerb = DataVerb(rawValue: verb) {
      send(toServer: text.telnet)
      return dataVerb.isPassive
        ? askPassive(dataVerb, argument) : askActive(dataVerb, argument)
    }
    if ControlMachine.unrelayable.contains(verb) {
      send(toServer: text.telnet)
      return refuse("502 \(verb) is not relayed.")
    }
    if verb == "AUTH", policy == .refuse {
      send(toServer: text.telnet)
      return refuse("502 AUTH is not allowed here.")
    }
    if verb == "QUIT" { hasQuit = true }
    enqueue(.plain(kind(of: verb)))
    send(toServer: line)
  }

  private func kind(of verb: String) -> Outstanding.Kind {
    switch verb {
    case "AUTH": .authentication
    case "ABOR": .abort
    case _ where ControlMachine.transfers.contains(verb): .transfer
    case _: .command
    }
  }

  /// Some servers answer a transfer and its ABOR with one reply. A client that goes on has had what
  /// it waited for.
  private mutating func forgetAnsweredAbort() {
    guard queue.first == .plain(.abort), isAbortAnswered else { return }
    isAbortAnswered = false
    removeFirst()
  }

  // MARK: Passive

  private mutating func askPassive(_ verb: DataVerb, _ argument: ArraySlice<UInt8>) {
    let word = String(decoding: argument, as: UTF8.self).uppercased()
    if verb == .extendedPassive, word == "ALL" {
      // Ours to keep: the server may have to be told PASV all the same.
      hasPromisedEPSV = true
      return answer("200 EPSV ALL accepted.")
    }
    if verb == .passive, hasPromisedEPSV { return refuse("503 PASV after EPSV ALL.") }
    if verb == .extendedPassive, !word.isEmpty, word != "\(clientSide.family.rawValue)" {
      return refuse(wrongFamily)
    }
    if verb == .passive, clientSide.family == .v6 { return refuse(wrongFamily) }
    actions.append(.closePending)
    begin(SetUp(asked: verb, sent: form(of: verb)))
  }

  private var wrongFamily: String {
    "522 Network protocol not supported, use (\(clientSide.family.rawValue))."
  }

  /// The verb that the server is told: the client's, where the server can know it.
  private func form(of verb: DataVerb) -> DataVerb {
    if serverSide.family == .v6 { return verb.isExtended ? verb : verb.other }
    return lacking.contains(verb) && !lacking.contains(verb.other) ? verb.other : verb
  }

  private mutating func begin(_ setUp: SetUp) {
    var setUp = setUp
    setUp.isInsideReply = replies.openCode != nil
    enqueue(.setUp(setUp))
    tellServer(setUp)
  }

  /// Asks the server for a set-up.
  mutating func tellServer(_ setUp: SetUp) {
    switch setUp.sent {
    case .passive, .extendedPassive: say(toServer: setUp.sent.rawValue)
    case .port: say(toServer: serverSide.port(setUp.listener ?? 0))
    case .extendedPort: say(toServer: serverSide.eprt(setUp.listener ?? 0))
    }
  }

  // MARK: Active

  private mutating func askActive(_ verb: DataVerb, _ argument: ArraySlice<UInt8>) {
    if hasPromisedEPSV { return refuse("503 \(verb.rawValue) after EPSV ALL.") }
    let asked = verb == .port ? portOfPORT(argument) : DataForms.extendedPort(argument)
    guard let asked else { return refuse("501 \(verb.rawValue) is not understood.") }
    guard asked.family == clientSide.family.rawValue else { return refuse(wrongFamily) }
    guard asked.port >= ControlMachine.leastPort else {
      return refuse("504 Port \(asked.port) is not allowed.")
    }
    actions.append(.closePending)
    actions.append(.open(.active(clientPort: asked.port)))
    awaited = SetUp(asked: verb, sent: form(of: verb))
  }

  private func portOfPORT(_ argument: ArraySlice<UInt8>) -> (family: Int, port: UInt16)? {
    guard let first = argument.first, decimalDigit(first) != nil else { return nil }
    return DataForms.sixNumbers(in: argument).map { (WireFamily.v4.rawValue, $0) }
  }

  /// The listener for the server is open, or not.
  mutating func sendActive(_ setUp: SetUp, _ port: UInt16?) {
    guard let port else { return answer("425 No data port is free.") }
    var setUp = setUp
    setUp.listener = port
    begin(setUp)
  }
}
