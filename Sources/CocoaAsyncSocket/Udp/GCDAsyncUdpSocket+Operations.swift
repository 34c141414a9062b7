public import Dispatch
public import Foundation
internal import Kernel
internal import Sockets

extension GCDAsyncUdpSocket {
  // MARK: Binding

  /// Binds to a port of every address of both families; with 0 to a free one, the same in both.
  public func bind(toPort port: UInt16) throws { try bind(toPort: port, interface: nil) }

  /// Binds to a port of an interface: its name, an address of it, or "localhost".
  public func bind(toPort port: UInt16, interface: String?) throws {
    try syncThrowing { try $0.bind(toPort: port, interface: interface) }
  }

  /// Binds to an address.
  public func bind(toAddress localAddr: Data) throws {
    let address = try GCDAsyncUdpSocket.address(localAddr)
    try syncThrowing { try $0.bind(to: address) }
  }

  // MARK: Connecting

  /// Connects to a host: the delegate is told when its name is known, or why not.
  public func connect(toHost host: String, onPort port: UInt16) throws {
    try syncThrowing { try $0.connect(to: GCDAsyncUdpSocket.destination(host, port)) }
  }

  /// Connects to an address; the delegate is told.
  public func connect(toAddress remoteAddr: Data) throws {
    let address = try GCDAsyncUdpSocket.address(remoteAddr)
    try syncThrowing { try $0.connect(to: .address(address)) }
  }

  // MARK: Groups

  /// Receives what is sent to a group as well. A socket may be in any number of groups.
  public func joinMulticastGroup(_ group: String) throws {
    try joinMulticastGroup(group, onInterface: nil)
  }

  /// Receives what is sent to a group through an interface: its name or an address of it.
  public func joinMulticastGroup(_ group: String, onInterface interface: String?) throws {
    try syncThrowing { try $0.changeGroup(group, interface, joins: true) }
  }

  /// Does not receive what is sent to a group any more.
  public func leaveMulticastGroup(_ group: String) throws {
    try leaveMulticastGroup(group, onInterface: nil)
  }

  /// Does not receive what is sent to a group through an interface any more.
  public func leaveMulticastGroup(_ group: String, onInterface interface: String?) throws {
    try syncThrowing { try $0.changeGroup(group, interface, joins: false) }
  }

  /// Sends to groups of IPv4 through an interface: its name or an address of it.
  public func sendIPv4Multicast(onInterface interface: String) throws {
    try syncThrowing { try $0.sendMulticast(on: interface, isIPv6: false) }
  }

  /// Sends to groups of IPv6 through an interface: its name or an address of it.
  public func sendIPv6Multicast(onInterface interface: String) throws {
    try syncThrowing { try $0.sendMulticast(on: interface, isIPv6: true) }
  }

  // MARK: Options

  /// Lets other sockets bind to the same port, if they do so too. Before binding.
  public func enableReusePort(_ flag: Bool) throws {
    try syncThrowing { try $0.enableReusePort(flag) }
  }

  /// Permits sending to broadcast addresses.
  public func enableBroadcast(_ flag: Bool) throws {
    try syncThrowing { try $0.enableBroadcast(flag) }
  }

  // MARK: Sending

  /// Sends to the peer that the socket is connected to. A timeout counts from when there is no
  /// room; a negative one is none.
  public func send(_ data: Data, withTimeout timeout: TimeInterval, tag: Int) {
    async { $0.send(data, to: .peer, timeout: timeout, tag: tag) }
  }

  /// Sends to a host, by its name or its address in text.
  public func send(
    _ data: Data, toHost host: String, port: UInt16, withTimeout timeout: TimeInterval, tag: Int
  ) {
    let destination = GCDAsyncUdpSocket.destination(host, port)
    async { $0.send(data, to: destination, timeout: timeout, tag: tag) }
  }

  /// Sends to an address.
  public func send(
    _ data: Data, toAddress remoteAddr: Data, withTimeout timeout: TimeInterval, tag: Int
  ) {
    let address = SocketAddress(internet: remoteAddr)
    async { core in
      guard let address else {
        return core.refuse(tag, UdpFailure.parameter("an address of IPv4 or IPv6 is expected"))
      }
      core.send(data, to: .address(address), timeout: timeout, tag: tag)
    }
  }

  /// Asks a filter about each datagram before it is sent.
  public func setSendFilter(
    _ filterBlock: GCDAsyncUdpSocketSendFilterBlock?, with filterQueue: DispatchQueue?
  ) {
    setSendFilter(filterBlock, with: filterQueue, isAsynchronous: true)
  }

  /// Asks a filter about each datagram before it is sent. It is never waited for on the loop: a
  /// filter that is not asynchronous may use the socket too.
  public func setSendFilter(
    _ filterBlock: GCDAsyncUdpSocketSendFilterBlock?, with filterQueue: DispatchQueue?,
    isAsynchronous: Bool
  ) {
    sync(()) { core in
      core.sendFilter = filterBlock.flatMap { block in filterQueue.map { (block, $0) } }
    }
  }

  // MARK: Receiving

  /// Receives one datagram, the next that the filter lets through.
  public func receiveOnce() throws { try syncThrowing { try $0.begin(.once) } }

  /// Receives all datagrams from now on.
  public func beginReceiving() throws { try syncThrowing { try $0.begin(.continuous) } }

  /// Receives none from now on. What has been received is told all the same.
  public func pauseReceiving() { async { $0.lifecycle.receiving = .paused } }

  // MARK: Closing

  /// Closes at once. What was not sent is dropped without a word; the port is free when this
  /// returns, and then the delegate is told.
  public func close() { sync(()) { $0.close(nil) } }

  /// Closes when all that is in the queue has been sent, or has failed.
  public func closeAfterSending() { async { $0.closeAfterSending() } }

  // MARK: Arguments

  private static func address(_ data: Data) throws -> SocketAddress {
    guard let address = SocketAddress(internet: data) else {
      throw UdpFailure.parameter("an address of IPv4 or IPv6 is expected")
    }
    return address
  }

  /// An address in text is one, with the scope of its interface; anything else is a name.
  private static func destination(_ host: String, _ port: UInt16) -> UdpSend.Destination {
    if let address = IPAddress(host) { return .address(.ip(address, port: port)) }
    return .host(host, port: port)
  }
}
