internal import Foundation
internal import Kernel
internal import Names
internal import Reactor
internal import Sockets

extension UdpCore {
  /// How often a port is looked for that is free in both families.
  private static let portAttempts = 16

  func bind(toPort port: UInt16, interface text: String?) throws {
    do {
      try checkDelegate()
      try lifecycle.checkBind()
    } catch {
      throw UdpFailure.refusal(error)
    }
    let interface = try UdpInterface(text)
    for attempt in 1...UdpCore.portAttempts {
      try open()
      do {
        try bindChannels(port, interface)
        admission = interface.admission
        lifecycle.bound()
        return
      } catch SocketError.system(.addressInUse, _)
        where port == 0 && attempt < UdpCore.portAttempts
      {
        // Free in IPv4 and taken in IPv6: another one.
        reopen()
      } catch {
        reopen()
        throw UdpFailure.socket(error)
      }
    }
  }

  func bind(to address: SocketAddress) throws {
    do {
      try checkDelegate()
      try lifecycle.checkBind()
    } catch {
      throw UdpFailure.refusal(error)
    }
    try open()
    guard let channel = address.isIPv6 ? channel6 : channel4 else {
      reopen()
      throw UdpFailure.parameter("\(address): its family is disabled")
    }
    do {
      try bind(channel, to: address)
    } catch {
      reopen()
      throw UdpFailure.socket(error)
    }
    keep(isIPv6: address.isIPv6)
    lifecycle.bound()
  }

  /// A socket that could not be bound is as if it had not been tried.
  private func reopen() {
    closeChannels()
    lifecycle.closed()
  }

  private func bindChannels(
    _ port: UInt16, _ interface: UdpInterface
  ) throws(SocketError) {
    var port = port
    if let channel4 {
      if let address = interface.bindAddress(isIPv6: false) {
        try bind(channel4, to: .ip(address, port: port))
        if port == 0 { port = localAddress(of: channel4)?.port ?? 0 }
      } else {
        keep(isIPv6: true)
      }
    }
    if let channel6 {
      if let address = interface.bindAddress(isIPv6: true) {
        try bindIPv6(channel6, to: .ip(address, port: port))
      } else {
        keep(isIPv6: false)
      }
    }
    guard !channels.isEmpty else {
      throw .invalid("the interface", expected: "one with an address of a family that is enabled")
    }
  }

  /// A machine may have IPv6 switched off: then IPv4 does alone.
  private func bindIPv6(
    _ channel: DatagramChannel, to address: SocketAddress
  ) throws(SocketError) {
    do {
      try bind(channel, to: address)
    } catch {
      guard case .system(.addressNotAvailable, _) = error, channel4 != nil else { throw error }
      keep(isIPv6: false)
    }
  }

  private func bind(
    _ channel: DatagramChannel, to address: SocketAddress
  ) throws(SocketError) {
    try SocketError.on("binding to \(address)") { () throws(Errno) in
      try channel.withSocket { (socket) throws(Errno) in try socket.bind(to: address) }
    }
  }

  // MARK: Addresses

  /// A socket's own address; for one that is bound to an interface, that of the interface.
  func localAddress(of channel: DatagramChannel?) -> SocketAddress? {
    guard let channel else { return nil }
    let address = try? channel.withSocket { (socket) throws(Errno) in try socket.localAddress() }
    guard let address, case .ip(let own, let port) = address else { return nil }
    guard own.isUnspecified, let instead = admission?.source(for: own) else { return address }
    return .ip(instead, port: port)
  }

  // MARK: Groups

  func changeGroup(_ text: String, _ interfaceText: String?, joins: Bool) throws {
    do {
      try lifecycle.checkGroup()
    } catch {
      throw UdpFailure.refusal(error)
    }
    guard let address = IPAddress(text), address.isMulticast else {
      throw UdpFailure.parameter("“\(text)” is no group: a multicast address is expected")
    }
    var group = MulticastGroup(address)
    if let index = try interfaceIndex(interfaceText), index != 0 { group.interface = index }
    let socket = try channel(isIPv6: address.isIPv6)
    try calling(joins ? "joining \(group)" : "leaving \(group)", socket) {
      (socket) throws(Errno) in
      if joins { try socket.join(group) } else { try socket.leave(group) }
    }
  }

  func sendMulticast(on interfaceText: String, isIPv6: Bool) throws {
    let index = try interfaceIndex(interfaceText) ?? 0
    try open()
    let channel = try channel(isIPv6: isIPv6)
    var failure: SocketError?
    try calling("choosing an interface", channel) { (socket) throws(Errno) in
      do throws(SocketError) { try socket.setMulticastInterface(index, is6: isIPv6) } catch {
        failure = error
      }
    }
    if let failure { throw UdpFailure.socket(failure) }
  }

  /// The index of an interface that is named or has the address; nil when none is named.
  private func interfaceIndex(_ text: String?) throws -> UInt32? {
    guard let text, !text.isEmpty else { return nil }
    guard let index = try UdpInterface(text).index else {
      throw UdpFailure.parameter("no interface has the address \(text)")
    }
    return index
  }

  // MARK: Options

  func enableReusePort(_ isOn: Bool) throws {
    options.reusesPort = isOn
    // The original's option lets processes of several users share a port too: on Linux that is
    // SO_REUSEADDR.
    options.reusesAddress = isOn
    try open()
    for channel in channels {
      try calling("sharing a port", channel) { (socket) throws(Errno) in
        try socket.set(.reusePort, isOn ? 1 : 0)
        try socket.set(.reuseAddress, isOn ? 1 : 0)
      }
    }
  }

  func enableBroadcast(_ isOn: Bool) throws {
    try open()
    guard let channel4 else {
      options.allowsBroadcast = isOn
      return
    }
    try calling("permitting broadcast", channel4) { (socket) throws(Errno) in
      try socket.set(.broadcast, isOn ? 1 : 0)
    }
    options.allowsBroadcast = isOn
  }

  func channel(isIPv6: Bool) throws -> DatagramChannel {
    guard let channel = isIPv6 ? channel6 : channel4 else {
      throw UdpFailure.parameter("\(isIPv6 ? "IPv6" : "IPv4") is disabled or not in use")
    }
    return channel
  }

  private func calling(
    _ purpose: String, _ channel: DatagramChannel,
    _ body: (borrowing Descriptor) throws(Errno) -> Void
  ) throws {
    do { try channel.withSocket(body) } catch { throw UdpFailure.system(error, doing: purpose) }
  }
}
