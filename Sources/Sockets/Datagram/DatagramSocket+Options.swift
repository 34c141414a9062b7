public import Kernel

extension DatagramSocket {
  // MARK: Groups

  /// Receives what is sent to a group as well; a socket may be in any number of them.
  public func join(_ group: MulticastGroup) throws(SocketError) {
    try checkIsMulticast(group)
    try calling("joining \(group)") { (socket) throws(Errno) in try socket.join(group) }
  }

  /// Joins a group on an interface by its name.
  public func join(
    _ address: IPAddress, onInterface name: String, source: IPAddress? = nil
  ) throws(SocketError) {
    try join(group(address, name, source))
  }

  /// Does not receive what is sent to a group any more.
  public func leave(_ group: MulticastGroup) throws(SocketError) {
    try checkIsMulticast(group)
    try calling("leaving \(group)") { (socket) throws(Errno) in try socket.leave(group) }
  }

  /// Leaves a group on an interface by its name.
  public func leave(
    _ address: IPAddress, onInterface name: String, source: IPAddress? = nil
  ) throws(SocketError) {
    try leave(group(address, name, source))
  }

  private func group(
    _ address: IPAddress, _ name: String, _ source: IPAddress?
  ) throws(SocketError) -> MulticastGroup {
    MulticastGroup(address, interface: try index(ofInterface: name), source: source)
  }

  private func index(ofInterface name: String) throws(SocketError) -> UInt32 {
    guard let index = Interface.index(named: name) else {
      throw .invalid("interface “\(name)”", expected: "one that is there")
    }
    return index
  }

  private func checkIsMulticast(_ group: MulticastGroup) throws(SocketError) {
    guard group.address.isMulticast else {
      throw .invalid("group \(group.address)", expected: "an address of 224.0.0.0/4 or ff00::/8")
    }
  }

  /// Sends multicast out of an interface by its index; 0 leaves it to the routes.
  public func setMulticastInterface(_ interface: UInt32) throws(SocketError) {
    let is6 = isIPv6
    try settingUp { (socket) throws(SocketError) in
      try socket.setMulticastInterface(interface, is6: is6)
    }
  }

  /// Sends multicast out of an interface by its name.
  public func setMulticastInterface(named name: String) throws(SocketError) {
    try setMulticastInterface(try index(ofInterface: name))
  }

  /// Lets multicast pass so many routers: 0 stays on this machine, 1 on the link.
  public func setMulticastHopLimit(_ limit: Int) throws(SocketError) {
    try set(isIPv6 ? .multicastHopLimit6 : .multicastHopLimit4, Int32(clamping: limit))
  }

  /// Lets members of a group on this machine receive what is sent to it, or not.
  public func setMulticastLoops(_ isOn: Bool) throws(SocketError) {
    try set(isIPv6 ? .multicastLoop6 : .multicastLoop4, isOn ? 1 : 0)
  }

  // MARK: Options

  /// Permits sending to broadcast addresses, or forbids it. IPv6 has none.
  public func setAllowsBroadcast(_ isOn: Bool) throws(SocketError) {
    try set(.broadcast, isOn ? 1 : 0)
  }

  /// Bytes of the receive buffer, as the kernel counts them: twice what was asked for.
  public var receiveBufferSize: Int {
    get throws(SocketError) { Int(try get(.receiveBuffer)) }
  }

  /// Bytes of the send buffer, as the kernel counts them.
  public var sendBufferSize: Int {
    get throws(SocketError) { Int(try get(.sendBuffer)) }
  }

  /// Sets a numeric option.
  public func set(_ option: SocketOption, _ value: Int32) throws(SocketError) {
    try calling("setting an option to \(value)") { (socket) throws(Errno) in
      try socket.set(option, value)
    }
  }

  /// Reads a numeric option.
  public func get(_ option: SocketOption) throws(SocketError) -> Int32 {
    try calling("reading an option") { (socket) throws(Errno) in try socket.get(option) }
  }

  // MARK: The peer

  /// Connects to a peer, in the place of one before: the socket sends to it, and takes datagrams of
  /// no other.
  public func connect(to address: SocketAddress) throws(SocketError) {
    try calling("connecting to \(address)") { (socket) throws(Errno) in
      _ = try socket.connect(to: address)
    }
  }

  /// Connects to nobody: takes datagrams of all again.
  public func disconnect() throws(SocketError) {
    try calling("disconnecting") { (socket) throws(Errno) in try socket.disconnect() }
  }

  private var isIPv6: Bool { core.channel.family == SocketOption.family6 }

  private func settingUp(
    _ body: (borrowing Descriptor) throws(SocketError) -> Void
  ) throws(SocketError) {
    guard core.channel.isOpen else { throw .closed }
    var failure: SocketError?
    try calling("using the descriptor") { (socket) throws(Errno) in
      do throws(SocketError) { try body(socket) } catch { failure = error }
    }
    if let failure { throw failure }
  }
}
