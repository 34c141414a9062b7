public import Kernel
public import Names
public import TLS

/// How a connection is made and what it is like.
public struct ConnectionOptions: Sendable {
  /// The time that making the connection has, name and TLS handshake included; nil for no limit.
  public var timeout: Duration? = .seconds(10)
  /// The families of addresses that may be used.
  public var families: Set<AddressFamily> = [.v6, .v4]
  /// The family that is tried first (RFC 8305).
  public var preferredFamily = AddressFamily.v6
  /// The address that the connection comes from; nil for the kernel's choice.
  public var localAddress: IPAddress?
  /// The port that the connection comes from; 0 for any.
  public var localPort: UInt16 = 0
  /// The name of the interface that packets use; also the scope of link-local addresses that name
  /// none.
  public var interface: String?
  /// TCP_NODELAY: small pieces are sent at once.
  public var sendsAtOnce = true
  /// TCP's keepalive probes; nil for none.
  public var keepalive: Keepalive?
  /// TLS from the beginning; nil for none. A role without a host name checks the name that is
  /// connected to.
  public var tls: TLSConfiguration?

  /// A connection in clear with the usual settings.
  public init() {}
}

extension ConnectionOptions {
  func request(to destination: ConnectRequest.Destination) throws(SocketError) -> ConnectRequest {
    var request = ConnectRequest(to: destination)
    guard !families.isEmpty else {
      throw .invalid("no family of addresses", expected: "IPv4, IPv6 or both")
    }
    request.families = families
    request.localAddresses = localAddress.map { [$0] } ?? []
    request.localPort = localPort
    request.timeout = timeout
    request.sendsAtOnce = sendsAtOnce
    request.race.preferred = preferredFamily
    if let interface {
      guard let index = Interface.index(named: interface) else {
        throw .invalid("no interface is named \(interface)", expected: "one of this machine's")
      }
      request.interfaceIndex = index
    }
    return request
  }
}
