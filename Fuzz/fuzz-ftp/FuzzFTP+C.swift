internal import FTP

/// Feeds a talk to `ControlMachine`: lines that begin with `<` come from the server, others from
/// the client. Ports that it opens must be ports that may be opened, and it
/// must wait for the port before it does more.
@c(LLVMFuzzerTestOneInput)
public func fuzzFTP(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  // The fuzzer's bytes live for the call; they are copied.
  let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  guard let kind = bytes.first else { return 0 }
  let clientSide = kind & 1 == 0 ? WireAddress(.v4, "192.0.2.1") : WireAddress(.v6, "2001:db8::1")
  let serverSide = kind & 2 == 0 ? WireAddress(.v4, "192.0.2.2") : WireAddress(.v6, "2001:db8::2")
  var runner = FuzzRunner(
    machine: ControlMachine(
      policy: kind & 4 == 0 ? .refuse : .pass, clientSide: clientSide, serverSide: serverSide),
    hasPorts: kind & 8 == 0)
  for line in bytes.dropFirst().split(separator: 0x0a, omittingEmptySubsequences: false) {
    if line.first == UInt8(ascii: "<") {
      runner.perform(runner.machine.received(fromServer: line.dropFirst() + [0x0a]))
    } else {
      runner.perform(runner.machine.received(fromClient: line + [0x0a]))
    }
  }
  runner.perform(runner.machine.clientEnded())
  runner.perform(runner.machine.serverEnded())
  return 0
}

struct FuzzRunner {
  var machine: ControlMachine
  let hasPorts: Bool

  mutating func perform(_ actions: [ControlMachine.Action]) {
    for action in actions {
      switch action {
      case .toClient, .toServer, .closePending: break
      case .open(.passive(let port)), .open(.active(let port)):
        precondition(port >= ControlMachine.leastPort, "port \(port) is opened")
        precondition(action == actions.last, "something is done before the port is known")
        perform(machine.listening(at: hasPorts ? 40_000 : nil))
      }
    }
  }
}
