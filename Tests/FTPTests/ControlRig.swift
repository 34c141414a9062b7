@testable import FTP

/// A machine with a runner that opens imaginary listeners, and what both peers were told.
struct ControlRig {
  var machine: ControlMachine
  var toClient = ""
  var toServer = ""
  var routes: [ControlMachine.Route] = []
  var closings = 0
  /// The port of the next listener; nil when none is free.
  var nextPort: UInt16? = 40_000

  static let client4 = WireAddress(.v4, "192.0.2.1")
  static let client6 = WireAddress(.v6, "2001:db8::1")
  static let server4 = WireAddress(.v4, "198.51.100.2")
  static let server6 = WireAddress(.v6, "2001:db8::2")

  init(
    client: WireAddress = ControlRig.client4, server: WireAddress = ControlRig.server4,
    policy: ControlMachine.SecurityPolicy = .refuse, isGreeted: Bool = true
  ) {
    machine = ControlMachine(policy: policy, clientSide: client, serverSide: server)
    if isGreeted {
      self.server("220 ready\r\n")
      toClient = ""
    }
  }

  mutating func client(_ text: String) { client(Array(text.utf8)) }
  mutating func client(_ bytes: [UInt8]) { perform(machine.received(fromClient: bytes)) }
  mutating func server(_ text: String) { perform(machine.received(fromServer: text.utf8)) }

  private mutating func perform(_ actions: [ControlMachine.Action]) {
    for action in actions {
      switch action {
      case .toClient(let bytes): toClient += String(decoding: bytes, as: UTF8.self)
      case .toServer(let bytes):
        toServer += String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
      case .closePending: closings += 1
      case .open(let route):
        routes.append(route)
        let port = nextPort
        nextPort = nextPort.map { $0 + 1 }
        perform(machine.listening(at: port))
      }
    }
  }

  /// What was told since the last time.
  mutating func takeToClient() -> String {
    defer { toClient = "" }
    return toClient
  }

  mutating func takeToServer() -> String {
    defer { toServer = "" }
    return toServer
  }
}
