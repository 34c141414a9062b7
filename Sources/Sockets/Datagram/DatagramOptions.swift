package import Kernel

/// How a datagram socket is made.
public struct DatagramOptions: Hashable, Sendable {
  /// SO_REUSEADDR. Off: on Linux the last of several sockets would take all datagrams.
  public var reusesAddress = false
  /// SO_REUSEPORT: several sockets of one user share a port, and the kernel shares datagrams out.
  public var reusesPort = false
  /// Permits sending to broadcast addresses.
  public var allowsBroadcast = false
  /// A socket for IPv6 serves IPv4 too; its addresses are told as IPv4.
  public var servesBothFamilies = false
  /// Bytes of the receive buffer; nil leaves the system's.
  public var receiveBufferSize: Int?
  /// Bytes of the send buffer; nil leaves the system's.
  public var sendBufferSize: Int?
  /// The interface, by its name, that alone is used.
  public var device: String?
  /// Each datagram tells its destination and its interface.
  public var tellsDestination = true
  /// Each datagram tells its traffic class, and so ECN.
  public var tellsTrafficClass = false
  /// The traffic class of what is sent.
  public var trafficClass: UInt8?
  /// The kernel may join datagrams that it receives (UDP_GRO), which come out one by one again.
  public var joinsReceived = false
  /// Datagrams of one size in a batch go to the kernel as one (UDP_SEGMENT).
  public var joinsSent = true
  /// Routers that what is sent to one receiver may pass.
  public var hopLimit: Int?
  /// Routers that multicast may pass: 0 stays on this machine, 1, the system's, on the link.
  public var multicastHopLimit: Int?
  /// Members of a group on this machine receive what is sent to it.
  public var multicastLoops = true
  /// The index of the interface that multicast goes out of; nil leaves it to the routes.
  public var multicastInterface: UInt32?

  /// The options that fit most uses.
  public init() {}
}

extension DatagramOptions {
  /// Sets what must stand before the socket is bound.
  package func applyBeforeBinding(
    _ socket: borrowing Descriptor, family: Int32
  ) throws(SocketError) {
    let is6 = family == SocketOption.family6
    if is6 {
      try socket.setting(.ipv6Only, servesBothFamilies ? 0 : 1, "choosing the family")
    }
    if reusesAddress { try socket.setting(.reuseAddress, 1, "sharing an address") }
    if reusesPort { try socket.setting(.reusePort, 1, "sharing a port") }
    if let device {
      guard Interface.index(named: device) != nil else {
        throw .invalid("interface “\(device)”", expected: "one that is there")
      }
      try SocketError.on("binding to interface “\(device)”") { () throws(Errno) in
        try socket.bind(toDevice: device)
      }
    }
    try apply(socket, family: family)
  }

  /// Sets what may change while the socket is in use.
  package func apply(_ socket: borrowing Descriptor, family: Int32) throws(SocketError) {
    let is6 = family == SocketOption.family6
    guard is6 || family == SocketOption.family4 else {
      return try applyBuffers(socket)
    }
    // What the kernel lacks of these costs knowledge, and no datagram.
    try? socket.set(.dropCounter, 1)
    let both: [(on: Bool, option4: SocketOption, option6: SocketOption)] = [
      (tellsDestination, .packetInformation4, .packetInformation6),
      (tellsTrafficClass, .receivedTrafficClass4, .receivedTrafficClass6),
    ]
    for (isOn, option4, option6) in both where isOn {
      if is6 { try? socket.set(option6, 1) }
      if !is6 || servesBothFamilies { try? socket.set(option4, 1) }
    }
    // Groups that other sockets have joined are none of this one's.
    try? socket.set(is6 ? .othersGroups6 : .othersGroups4, 0)
    if joinsReceived { try? socket.set(.joinedReceiving, 1) }
    try applyBuffers(socket)
    try applyHops(socket, is6: is6)
  }

  private func applyBuffers(_ socket: borrowing Descriptor) throws(SocketError) {
    if let receiveBufferSize {
      try socket.setting(.receiveBuffer, Int32(clamping: receiveBufferSize), "sizing a buffer")
    }
    if let sendBufferSize {
      try socket.setting(.sendBuffer, Int32(clamping: sendBufferSize), "sizing a buffer")
    }
  }

  private func applyHops(_ socket: borrowing Descriptor, is6: Bool) throws(SocketError) {
    if allowsBroadcast, !is6 { try socket.setting(.broadcast, 1, "permitting broadcast") }
    if let trafficClass {
      try socket.setting(
        is6 ? .trafficClass6 : .trafficClass4, Int32(trafficClass), "setting the traffic class")
    }
    if let hopLimit {
      try socket.setting(
        is6 ? .hopLimit6 : .hopLimit4, Int32(clamping: hopLimit), "limiting hops to \(hopLimit)")
    }
    if let limit = multicastHopLimit {
      try socket.setting(
        is6 ? .multicastHopLimit6 : .multicastHopLimit4, Int32(clamping: limit),
        "limiting multicast hops to \(limit)")
    }
    if !multicastLoops {
      try socket.setting(is6 ? .multicastLoop6 : .multicastLoop4, 0, "looping multicast")
    }
    if let interface = multicastInterface {
      try socket.setMulticastInterface(interface, is6: is6)
    }
  }
}

extension Descriptor {
  /// Sets an option; what failed is told with what it was for.
  package borrowing func setting(
    _ option: SocketOption, _ value: Int32, _ purpose: String
  ) throws(SocketError) {
    do { try set(option, value) } catch { throw .system(error, doing: purpose) }
  }

  /// Sends multicast out of an interface by its index; 0 leaves it to the routes.
  package borrowing func setMulticastInterface(
    _ interface: UInt32, is6: Bool
  ) throws(SocketError) {
    let purpose = "sending multicast out of interface \(interface)"
    if is6 {
      try setting(.multicastInterface6, Int32(clamping: interface), purpose)
    } else {
      do {
        try setMulticastInterface4(interface)
      } catch {
        throw .system(error, doing: purpose)
      }
    }
  }
}

extension SocketError {
  /// Runs calls of the system and tells what they were for when one fails.
  package static func on<Result: ~Copyable>(
    _ purpose: @autoclosure () -> String, _ body: () throws(Errno) -> Result
  ) throws(SocketError) -> Result {
    do { return try body() } catch { throw .system(error, doing: purpose()) }
  }
}
