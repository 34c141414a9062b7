internal import Configuration
internal import Kernel
internal import Relay

/// What a LISTEN has open in the relay: one listener, or one an address or inherited socket.
struct TunnelListener: Sendable {
  let listeners: [RelayListener]

  /// The addresses in force.
  var addresses: [SocketAddress] { listeners.flatMap(\.addresses) }

  /// Opens all of `listen`, or nothing.
  static func open(
    _ listen: ListenSpecification, for tunnel: TunnelConfiguration, in relay: PortRelay,
    inherited: InheritedSockets
  ) throws(StartError) -> TunnelListener {
    let stream = CarriedTunnel.stream(StreamTunnel(tunnel, at: listen))
    switch listen {
    case .ip(let address, let port), .ftp(let address, let port):
      return TunnelListener(listeners: try open(address, port, for: stream, in: relay))
    case .udp(let address, let port):
      let datagrams = CarriedTunnel.datagram(DatagramTunnel(tunnel))
      return TunnelListener(listeners: try open(address, port, for: datagrams, in: relay))
    case .unix(let name):
      return TunnelListener(
        listeners: try openAll([.address(.unix(name))], for: stream, in: relay))
    case .inherited(let name):
      return TunnelListener(
        listeners: try openInherited(name, of: inherited, for: stream, in: relay))
    }
  }

  private static func open(
    _ address: BindAddress, _ port: UInt16, for tunnel: CarriedTunnel, in relay: PortRelay
  ) throws(StartError) -> [RelayListener] {
    switch address {
    case .any: try openAll([.everyAddress(port: port)], for: tunnel, in: relay)
    case .localhost: try openLocalhost(port, for: tunnel, in: relay)
    case .address(let address):
      try openAll([.address(.ip(address, port: port))], for: tunnel, in: relay)
    }
  }

  /// Stops accepting.
  func close(in relay: PortRelay) {
    for listener in listeners { relay.close(listener) }
  }

  private static func openAll(
    _ addresses: [ListenAddress], for tunnel: CarriedTunnel, in relay: PortRelay
  ) throws(StartError) -> [RelayListener] {
    var listeners: [RelayListener] = []
    for address in addresses {
      do {
        listeners.append(try tunnel.listen(at: address, in: relay))
      } catch {
        for listener in listeners { relay.close(listener) }
        throw .listen(error)
      }
    }
    return listeners
  }

  /// Times that both families are tried to be given the same free port.
  private static let freePortAttempts = 16

  /// 127.0.0.1 and ::1 at the same port; a machine without IPv6 has only the first.
  private static func openLocalhost(
    _ port: UInt16, for tunnel: CarriedTunnel, in relay: PortRelay
  ) throws(StartError) -> [RelayListener] {
    var attempt = 1
    while true {
      let first = try openAll([.address(.ip(.loopback4, port: port))], for: tunnel, in: relay)
      let chosen = first.first?.addresses.first?.port ?? port
      do {
        return first
          + (try openAll([.address(.ip(.loopback6, port: chosen))], for: tunnel, in: relay))
      } catch .listen(.refused(_, .addressFamilyNotSupported)),
        .listen(.refused(_, .addressNotAvailable))
      {
        return first
      } catch {
        for listener in first { relay.close(listener) }
        guard port == 0, attempt < freePortAttempts else { throw error }
        attempt += 1
      }
    }
  }

  /// The relay closes a duplicate: what was inherited stays, for a reload that wants it again.
  private static func openInherited(
    _ name: String, of inherited: InheritedSockets, for tunnel: CarriedTunnel, in relay: PortRelay
  ) throws(StartError) -> [RelayListener] {
    let numbers = inherited.numbers(named: name)
    if numbers.isEmpty {
      throw .inheritedUnknown(name, names: inherited.entries.map(\.name))
    }
    var listeners: [RelayListener] = []
    do throws(StartError) {
      // One by one, so that no duplicate is left over when the next cannot be made.
      for number in numbers {
        listeners += try openAll([duplicate(number)], for: tunnel, in: relay)
      }
    } catch {
      for listener in listeners { relay.close(listener) }
      throw error
    }
    return listeners
  }

  private static func duplicate(_ number: Int32) throws(StartError) -> ListenAddress {
    guard let socket = InheritedDescriptor(number) else {
      throw .listen(.notAListener(descriptor: number))
    }
    do {
      return .inherited(try socket.duplicate().release())
    } catch {
      throw .resources(error)
    }
  }
}

/// A tunnel as one of its listeners carries it.
private enum CarriedTunnel {
  case stream(StreamTunnel)
  case datagram(DatagramTunnel)

  func listen(
    at address: ListenAddress, in relay: PortRelay
  ) throws(ListenError) -> RelayListener {
    switch self {
    case .stream(let tunnel): try relay.listen(at: address, for: tunnel)
    case .datagram(let tunnel): try relay.listen(at: address, for: tunnel)
    }
  }
}
