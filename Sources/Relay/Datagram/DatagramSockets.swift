internal import Kernel

/// The sockets of one address: one a loop, all bound before the first is read, and the set never
/// changes: the kernel spreads clients by it, so a change would move their sessions.
struct DatagramSockets {
  /// The address in force, with the port that the kernel chose.
  let address: SocketAddress
  /// Owned descriptor numbers, one a loop; each loop adopts its own.
  let numbers: [Int32]

  static func open(
    _ wanted: SocketAddress, count: Int, settings: DatagramSettings
  ) throws(ListenError) -> DatagramSockets {
    do {
      // Without SO_REUSEPORT, so that a second program at the same port is refused; then the
      // option lets the others join.
      let first = try socket(at: wanted, joining: false, settings)
      let address = try first.localAddress()
      if count > 1 { try first.set(.reusePort, 1) }
      var owners = DescriptorList(first)
      for _ in 1..<max(1, count) {
        owners.append(try socket(at: address, joining: true, settings))
      }
      return DatagramSockets(address: address, numbers: owners.release())
    } catch {
      throw .refused(wanted, error)
    }
  }

  /// Both families' wildcard at the same port; a machine without IPv6 has only the first.
  static func openEverywhere(
    port: UInt16, count: Int, settings: DatagramSettings
  ) throws(ListenError) -> [DatagramSockets] {
    for attempt in 1... {
      let first = try open(.ip(.any4, port: port), count: count, settings: settings)
      let chosen = first.address.port ?? port
      do {
        return [first, try open(.ip(.any6, port: chosen), count: count, settings: settings)]
      } catch .refused(_, .addressFamilyNotSupported), .refused(_, .addressNotAvailable) {
        return [first]
      } catch {
        for number in first.numbers { _ = Descriptor(adopting: number) }
        guard port == 0, case .refused(_, .addressInUse) = error,
          attempt < ListenSockets.freePortAttempts
        else { throw error }
      }
    }
    return []
  }

  private static func socket(
    at address: SocketAddress, joining: Bool, _ settings: DatagramSettings
  ) throws(Errno) -> Descriptor {
    guard case .ip(let ip, _) = address else { throw .addressFamilyNotSupported }
    let socket = try Descriptor.datagramSocket(for: address)
    if joining { try socket.set(.reusePort, 1) }
    if ip.isIPv6 { try socket.set(.ipv6Only, 1) }
    try socket.set(ip.isIPv6 ? .packetInformation6 : .packetInformation4, 1)
    socket.prepareForRelaying(settings)
    try socket.bind(to: address)
    return socket
  }
}

extension Descriptor {
  /// Sets what makes relaying cheaper or counts; a kernel without one of these goes on without.
  borrowing func prepareForRelaying(_ settings: DatagramSettings) {
    do {
      // Beyond net.core.rmem_max only for those who may.
      try set(.forcedReceiveBuffer, settings.receiveBuffer)
    } catch {
      try? set(.receiveBuffer, settings.receiveBuffer)
    }
    try? set(.dropCounter, 1)
    try? set(.joinedReceiving, 1)
  }
}
