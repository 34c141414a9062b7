public import Foundation
internal import Kernel

extension GCDAsyncUdpSocket {
  // MARK: Families

  /// True when IPv4 is used; it is by default.
  public func isIPv4Enabled() -> Bool { sync(true) { $0.settings.isIPv4Enabled } }

  /// Uses IPv4 or not, when the socket is next opened.
  public func setIPv4Enabled(_ flag: Bool) { sync(()) { $0.settings.isIPv4Enabled = flag } }

  /// True when IPv6 is used; it is by default.
  public func isIPv6Enabled() -> Bool { sync(true) { $0.settings.isIPv6Enabled } }

  /// Uses IPv6 or not, when the socket is next opened.
  public func setIPv6Enabled(_ flag: Bool) { sync(()) { $0.settings.isIPv6Enabled = flag } }

  /// True when of a host's addresses one of IPv4 is taken first.
  public func isIPv4Preferred() -> Bool { sync(false) { $0.settings.preference == .v4 } }

  /// True when of a host's addresses one of IPv6 is taken first.
  public func isIPv6Preferred() -> Bool { sync(false) { $0.settings.preference == .v6 } }

  /// True when neither family is preferred; so it is by default.
  public func isIPVersionNeutral() -> Bool { sync(true) { $0.settings.preference == .neutral } }

  /// Takes a host's addresses of IPv4 first.
  public func setPreferIPv4() { sync(()) { $0.settings.preference = .v4 } }

  /// Takes a host's addresses of IPv6 first.
  public func setPreferIPv6() { sync(()) { $0.settings.preference = .v6 } }

  /// Prefers neither family.
  public func setIPVersionNeutral() { sync(()) { $0.settings.preference = .neutral } }

  // MARK: Sizes

  /// What was set; datagrams of every size are received whole whatever it is.
  public func maxReceiveIPv4BufferSize() -> UInt16 {
    sync(.max) { $0.settings.maxReceiveIPv4BufferSize }
  }

  /// Keeps the value for the getter.
  public func setMaxReceiveIPv4BufferSize(_ max: UInt16) {
    sync(()) { $0.settings.maxReceiveIPv4BufferSize = max }
  }

  /// What was set; datagrams of every size are received whole whatever it is.
  public func maxReceiveIPv6BufferSize() -> UInt32 {
    sync(UInt32(UInt16.max)) { $0.settings.maxReceiveIPv6BufferSize }
  }

  /// Keeps the value for the getter.
  public func setMaxReceiveIPv6BufferSize(_ max: UInt32) {
    sync(()) { $0.settings.maxReceiveIPv6BufferSize = max }
  }

  /// Bytes of the longest datagram that may be sent.
  public func maxSendBufferSize() -> UInt16 { sync(.max) { $0.settings.maxSendBufferSize } }

  /// Sends nothing longer than this; a longer datagram fails alone.
  public func setMaxSendBufferSize(_ max: UInt16) {
    sync(()) { $0.settings.maxSendBufferSize = max }
  }

  // MARK: The caller's own

  /// What the caller attached.
  public func userData() -> Any? { sync(nil) { $0.settings.userData } }

  /// Attaches something of the caller's.
  public func setUserData(_ arbitraryUserData: Any?) {
    sync(()) { $0.settings.userData = arbitraryUserData }
  }

  // MARK: Own address

  /// The socket's own address, IPv4's where there are two; nil while it is not open.
  public func localAddress() -> Data? { localAddress_IPv4() ?? localAddress_IPv6() }

  /// The text of the socket's own address.
  public func localHost() -> String? { localHost_IPv4() ?? localHost_IPv6() }

  /// The socket's own port, 0 while it has none.
  public func localPort() -> UInt16 {
    let port4 = localPort_IPv4()
    return port4 != 0 ? port4 : localPort_IPv6()
  }

  /// The own address of IPv4.
  public func localAddress_IPv4() -> Data? { own4?.sockaddr }

  /// The text of the own address of IPv4.
  public func localHost_IPv4() -> String? { own4?.hostText }

  /// The own port of IPv4.
  public func localPort_IPv4() -> UInt16 { own4?.port ?? 0 }

  /// The own address of IPv6.
  public func localAddress_IPv6() -> Data? { own6?.sockaddr }

  /// The text of the own address of IPv6.
  public func localHost_IPv6() -> String? { own6?.hostText }

  /// The own port of IPv6.
  public func localPort_IPv6() -> UInt16 { own6?.port ?? 0 }

  private var own4: SocketAddress? { sync(nil) { $0.localAddress(of: $0.channel4) } }
  private var own6: SocketAddress? { sync(nil) { $0.localAddress(of: $0.channel6) } }

  // MARK: State

  /// The peer that the socket is connected to, nil for none.
  public func connectedAddress() -> Data? { sync(nil) { $0.peer }?.sockaddr }

  /// The text of the peer's address.
  public func connectedHost() -> String? { sync(nil) { $0.peer }?.hostText }

  /// The peer's port, 0 without one.
  public func connectedPort() -> UInt16 { sync(nil) { $0.peer }?.port ?? 0 }

  /// True when the socket is connected to a peer.
  public func isConnected() -> Bool { sync(false) { $0.lifecycle.connection == .connected } }

  /// True before the socket is bound, is connected or sends, and after it was closed.
  public func isClosed() -> Bool { sync(true) { !$0.lifecycle.isOpen } }

  /// True when the socket can be used with IPv4.
  public func isIPv4() -> Bool { sync(false) { $0.channel4 != nil } }

  /// True when the socket can be used with IPv6.
  public func isIPv6() -> Bool { sync(false) { $0.channel6 != nil } }
}
