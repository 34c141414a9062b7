import Testing

@testable import FTP

@Suite struct ControlMachineTests {
  @Test(
    "A session is relayed alike wherever its bytes are cut",
    arguments: [
      ["PASV\r\n", "227 Entering Passive Mode (10,1,2,3,195,80).\r\n"],
      ["epsv\n", "229 Entering Extended Passive Mode (|||50000|)\n"],
      ["PORT 10,1,2,3,195,80\r\n", "200 ok\r\n"], ["EPRT |1|10.1.2.3|50000|\r\n", "200 ok\r\n"],
      ["TYPE I\r\nPASV\r\n", "200-a\r\n227 (1,1,1,1,9,9)\r\n200 b\r\n227 (10,1,2,3,195,80)\r\n"],
      ["\u{ff}\u{f4}\u{ff}\u{f2}ABOR\r\n", "426 a\r\n226 b\r\n"], ["HOST a\r\nAUTH TLS\r\n", ""],
      ["STOR \u{e4}\u{ff}\u{ff}x\r\n", "150 go\r\n550 no\r\n"],
    ])
  func everySplit(talk: [String]) {
    let client = talk[0].unicodeScalars.map { UInt8($0.value) }
    let server = Array(talk[1].utf8)
    var whole = ControlRig()
    whole.client(client)
    whole.server(talk[1])
    for split in 0...client.count {
      var rig = ControlRig()
      rig.client(Array(client[..<split]))
      rig.client(Array(client[split...]))
      rig.server(talk[1])
      #expect(rig.toServer == whole.toServer && rig.toClient == whole.toClient)
      #expect(rig.routes == whole.routes)
    }
    for split in 0...server.count {
      var rig = ControlRig()
      rig.client(client)
      rig.server(String(decoding: server[..<split], as: UTF8.self))
      rig.server(String(decoding: server[split...], as: UTF8.self))
      #expect(rig.toServer == whole.toServer && rig.toClient == whole.toClient)
      #expect(rig.routes == whole.routes)
    }
  }

  /// Family of each side, what the client says, what the server must hear and answers, what the
  /// client must hear.
  @Test(
    "Passive set-ups are translated between the families",
    arguments: [
      (
        4, 4, "PASV", "PASV", "227 x (10,1,2,3,195,80)",
        "227 Entering Passive Mode (192,0,2,1,156,64)."
      ),
      (
        4, 4, "EPSV 1", "EPSV", "229 x (|||50000|)",
        "229 Entering Extended Passive Mode (|||40000|)"
      ),
      (4, 6, "PASV", "EPSV", "229 x (|||50000|)", "227 Entering Passive Mode (192,0,2,1,156,64)."),
      (
        6, 4, "EPSV 2", "EPSV", "229 x (|||50000|)",
        "229 Entering Extended Passive Mode (|||40000|)"
      ),
      (6, 6, "EPSV", "EPSV", "229 x (|||50000|)", "229 Entering Extended Passive Mode (|||40000|)"),
    ])
  func passive(
    clientFamily: Int, serverFamily: Int, said: String, heard: String, answer: String, told: String
  ) {
    var rig = ControlRig(
      client: clientFamily == 4 ? ControlRig.client4 : ControlRig.client6,
      server: serverFamily == 4 ? ControlRig.server4 : ControlRig.server6)
    rig.client(said + "\r\n")
    #expect(rig.takeToServer() == heard + "\r\n")
    rig.server(answer + "\r\n")
    #expect(rig.takeToClient() == told + "\r\n")
    #expect(rig.routes == [.passive(serverPort: 50_000)])
  }

  @Test(
    "Active set-ups are translated between the families",
    arguments: [
      (4, 4, "PORT 10,1,2,3,195,80", "PORT 198,51,100,2,156,64"),
      (4, 4, "EPRT |1|10.1.2.3|50000|", "EPRT |1|198.51.100.2|40000|"),
      (4, 6, "PORT 10,1,2,3,195,80", "EPRT |2|2001:db8::2|40000|"),
      (6, 4, "EPRT |2|2001:db8::9|50000|", "EPRT |1|198.51.100.2|40000|"),
      (4, 4, "EPRT |2|::ffff:10.1.2.3|50000|", "EPRT |1|198.51.100.2|40000|"),
    ])
  func active(clientFamily: Int, serverFamily: Int, said: String, heard: String) {
    var rig = ControlRig(
      client: clientFamily == 4 ? ControlRig.client4 : ControlRig.client6,
      server: serverFamily == 4 ? ControlRig.server4 : ControlRig.server6)
    rig.client(said + "\r\n")
    #expect(rig.takeToServer() == heard + "\r\n")
    #expect(rig.routes == [.active(clientPort: 50_000)])
    rig.server("200 ok\r\n")
    #expect(rig.takeToClient() == "200 ok\r\n")
  }

  @Test("A server without the form asked for is asked in the other, and that is remembered")
  func otherForm() {
    for code in ["500", "502", "522"] {
      var rig = ControlRig(client: ControlRig.client6)
      rig.client("EPSV\r\n")
      rig.server("\(code) what?\r\n")
      #expect(rig.takeToServer() == "EPSV\r\nPASV\r\n")
      #expect(rig.takeToClient().isEmpty)
      rig.server("227 (10,1,2,3,195,80)\r\n")
      #expect(rig.takeToClient() == "229 Entering Extended Passive Mode (|||40000|)\r\n")
      rig.client("EPSV\r\n")
      #expect(rig.takeToServer() == "PASV\r\n")
      rig.server("500 no\r\n")
      #expect(rig.takeToClient() == "500 no\r\n")
      rig.client("EPRT |2|2001:db8::9|50000|\r\n")
      rig.server("\(code) what?\r\n")
      #expect(rig.takeToServer() == "EPRT |1|198.51.100.2|40001|\r\nPORT 198,51,100,2,156,65\r\n")
    }
  }

  @Test(
    "What cannot be relayed is refused here and never reaches the server",
    arguments: [
      ("PORT 10,1,2,3,0,25", "504 Port 25 is not allowed."),
      ("EPRT |1|10.1.2.3|1023|", "504 Port 1023 is not allowed."),
      ("EPRT |2|2001:db8::9|50000|", "522 Network protocol not supported, use (1)."),
      ("EPSV 2", "522 Network protocol not supported, use (1)."),
      ("PORT 10,1,2,3,4", "501 PORT is not understood."), ("HOST a", "502 HOST is not relayed."),
      ("lprt 4,4,1,1,1,1,2,9,9", "502 LPRT is not relayed."),
      ("LPSV", "502 LPSV is not relayed."), ("SPSV", "502 SPSV is not relayed."),
      ("CPSV", "502 CPSV is not relayed."), ("AUTH TLS", "502 AUTH is not allowed here."),
    ])
  func refused(said: String, told: String) {
    var rig = ControlRig()
    rig.client(said + "\r\n")
    #expect(rig.toServer.isEmpty && rig.routes.isEmpty)
    #expect(rig.toClient == told + "\r\n")
    #expect(rig.machine.tally.refusedCommands == 1)
  }

  @Test(
    "Every other command passes as it is",
    arguments: [
      "PRET LIST", "MLSD", "MLST a", "STOU", "APPE a", "REST 5", "REIN", "ALLO 5", "MODE Z",
      "site x", "XYZZY", "", "\u{ff}\u{fb}\u{01}NOOP", " NOOP",
    ])
  func passes(said: String) {
    var rig = ControlRig()
    rig.client(said.unicodeScalars.map { UInt8($0.value) } + [13, 10])
    #expect(rig.toServer == said + "\r\n")
  }

  @Test("A bare LF ends a command, and the server gets CRLF")
  func bareLineFeed() {
    var rig = ControlRig()
    rig.client("TYPE I\nPASV\n")
    #expect(rig.toServer == "TYPE I\r\nPASV\r\n")
  }

  @Test("After EPSV ALL the other set-ups are refused, and EPSV goes on")
  func extendedPassiveAll() {
    var rig = ControlRig()
    rig.client("EPSV ALL\r\n")
    #expect(rig.takeToClient() == "200 EPSV ALL accepted.\r\n")
    for verb in ["PASV", "PORT 10,1,2,3,195,80", "EPRT |1|10.1.2.3|50000|"] {
      rig.client(verb + "\r\n")
      #expect(rig.takeToClient().hasPrefix("503 "))
    }
    rig.client("EPSV\r\n")
    #expect(rig.takeToServer() == "EPSV\r\n")
  }

  @Test("Text that looks like an answer or a command opens nothing")
  func lookAlikes() {
    var rig = ControlRig(isGreeted: false)
    rig.server("220-hello\r\n227 (10,1,2,3,195,80)\r\n220-x\r\n229 (|||50000|)\r\n220 end\r\n")
    rig.server("227 (10,1,2,3,195,80)\r\nPORT 10,1,2,3,195,80\r\n")
    rig.client("227 (10,1,2,3,195,80)\r\nQUIT\r\n")
    rig.server("500 what?\r\n227 Logout (1,1,1,1,9,9)\r\n")
    #expect(rig.routes.isEmpty)
    #expect(rig.toClient.hasSuffix("227 Logout (1,1,1,1,9,9)\r\n"))
  }

  @Test("A set-up is found again after replies were lost, given twice, or never ended")
  func outOfStep() {
    for server in [
      "227 (10,1,2,3,195,80)\r\n", "226 a\r\n426 b\r\n226 c\r\n227 (10,1,2,3,195,80)\r\n",
    ] {
      var rig = ControlRig()
      rig.client("RETR a\r\nABOR\r\nPASV\r\n")
      rig.server(server)
      #expect(rig.routes == [.passive(serverPort: 50_000)], "\(server)")
    }
    var rig = ControlRig()
    rig.client("MKD a\r\n")
    rig.server("553-no\r\n150 really\r\n")
    rig.client("PASV\r\n")
    rig.server("227 (10,1,2,3,195,80)\r\n")
    #expect(rig.routes == [.passive(serverPort: 50_000)])
  }

  @Test("A refusal said here waits for the replies to the commands before it")
  func refusalInOrder() {
    var rig = ControlRig()
    rig.client("TYPE I\r\nHOST a\r\nNOOP\r\n")
    #expect(rig.takeToClient().isEmpty)
    rig.server("200 type\r\n200 noop\r\n")
    #expect(rig.toClient == "200 type\r\n502 HOST is not relayed.\r\n200 noop\r\n")
  }

  @Test("An unused listener goes with a refused transfer, an ABOR and the next set-up only")
  func pendingListener() {
    var rig = ControlRig()
    rig.client("EPSV\r\nTYPE I\r\nSIZE a\r\n")
    rig.server("229 (|||50000|)\r\n200 ok\r\n550 no\r\n")
    #expect(rig.closings == 1)
    rig.client("RETR a\r\n")
    rig.server("550 no\r\n")
    #expect(rig.closings == 2)
    rig.client("ABOR\r\n")
    rig.server("226 ok\r\n")
    #expect(rig.closings == 3)
  }

  @Test("A server's port that may not be used, and a full range, are answered with 425")
  func noPort() {
    for answer in ["227 (10,1,2,3,0,25)", "227 (10,1,2,3,0,0)", "227 (10,1,2,3,4)"] {
      var rig = ControlRig()
      rig.client("PASV\r\n")
      rig.server(answer + "\r\n")
      #expect(rig.toClient.hasPrefix("425 ") && rig.routes.isEmpty)
    }
    var rig = ControlRig()
    rig.nextPort = nil
    rig.client("PASV\r\n")
    rig.server("227 (10,1,2,3,195,80)\r\n")
    #expect(rig.takeToClient() == "425 No data port is free.\r\n")
    rig.client("PORT 10,1,2,3,195,80\r\n")
    #expect(rig.takeToClient() == "425 No data port is free.\r\n")
  }

  @Test("Where AUTH passes, everything behind its 234 passes unread")
  func securityPasses() {
    var rig = ControlRig(policy: .pass)
    rig.client("AUTH TLS\r\n")
    rig.server("234 go\r\n")
    rig.client("PASV\r\nHOST")
    rig.server("227 (10,1,2,3,195,80)\r\nhalf")
    #expect(rig.toServer == "AUTH TLS\r\nPASV\r\nHOST")
    #expect(rig.toClient == "234 go\r\n227 (10,1,2,3,195,80)\r\nhalf")
    #expect(rig.routes.isEmpty)
  }

  @Test("A line that is too long passes in pieces and matches nothing")
  func longLine() {
    var rig = ControlRig()
    let long = "PORT " + String(repeating: " ", count: 10_000) + "10,1,2,3,195,80\r\n"
    rig.client(String(long.prefix(9_000)))
    #expect(rig.toServer == String(long.prefix(9_000)))
    rig.client(String(long.dropFirst(9_000)) + "NOOP\r\n")
    #expect(rig.toServer == long + "NOOP\r\n")
    #expect(rig.routes.isEmpty && rig.machine.tally.longLines == 1)
  }

  @Test("A reply of 100 kB passes line by line")
  func longReply() {
    var rig = ControlRig()
    let lines = String(repeating: " 227 (10,1,2,3,195,80) and more\r\n", count: 3_500)
    rig.client("STAT\r\nPASV\r\n")
    rig.server("211-\(lines)")
    #expect(rig.takeToClient() == "211-\(lines)")
    rig.server("211 end\r\n227 (10,1,2,3,195,80)\r\n")
    #expect(rig.routes.count == 1)
  }

  @Test("More commands than may wait are passed on, and the oldest is forgotten")
  func manyCommands() {
    var rig = ControlRig()
    for _ in 0..<1_000 { rig.client("NOOP\r\n") }
    #expect(rig.machine.queue.count == ControlMachine.outstandingLimit)
    #expect(rig.machine.tally.lostSteps == 1_000 - 256)
  }

  @Test("Half a line goes on when its sender ends")
  func halfLine() {
    var rig = ControlRig()
    rig.client("QUI")
    #expect(rig.machine.clientEnded() == [.toServer(Array("QUI".utf8))])
    rig.server("22")
    #expect(rig.machine.serverEnded() == [.toClient(Array("22".utf8))])
  }

  @Test("IAC IP IAC leaves before the rest of its line has come")
  func telnetAtOnce() {
    var rig = ControlRig()
    rig.client([255, 244, 255])
    #expect(rig.toServer == "\u{ff}\u{f4}\u{ff}")
    rig.client([242] + Array("ABOR\r\n".utf8))
    #expect(rig.toServer == "\u{ff}\u{f4}\u{ff}\u{f2}ABOR\r\n")
  }
}
