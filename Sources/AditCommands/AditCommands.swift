internal import Kernel
internal import Reactor
internal import Relay

final class Quiet: RelayObserver {
  let wantsEvents = false
  let wantsRecords = false
  func happened(_ event: FlowEvent) {}
  func ended(_ record: FlowRecord) {}
  func warned(_ warning: RelayWarning) { print(warning) }
}
func parse(_ t: String) -> SocketAddress {
  let p = t.split(separator: ":")
  guard let ip = IPAddress(p[0]), let port = UInt16(p[1]) else { fatalError() }
  return .ip(ip, port: port)
}
public func quickForward(_ a: [String]) {
  do {
    SignalSource.ignoreBrokenPipe()
    let limit = try ProcessLimits.raiseDescriptorLimit()
    let n = a.contains("--threads") ? (Int(a[a.firstIndex(of: "--threads").map { $0 + 1 } ?? 0]) ?? 1) : 1
    var loops: [EventLoop] = [try EventLoop(index: 0)]
    for i in 1..<max(n, 1) where n > 1 { loops.append(try EventLoop(index: i)) }
    let relay = try PortRelay(
      loops: loops, limits: RelayLimits(descriptorLimit: limit, loops: loops.count, listeners: 1),
      observer: Quiet())
    let l = try relay.listen(
      at: .address(parse(a[2])), for: StreamTunnel(name: "t", targets: [.address(parse(a[3]))]))
    print(l.addresses)
    for loop in loops.dropFirst() { _ = try KernelThread(name: "l") { try? loop.run() } }
    try loops[0].run()
  } catch { print(error) }
}
