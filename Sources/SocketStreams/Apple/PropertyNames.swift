public import Foundation
public import Security

// Each constant is what it is on Darwin, a CFString; `as String` and `as Stream.PropertyKey` make
// of it what a call needs.

/// The property of the security level.
public var kCFStreamPropertySocketSecurityLevel: CFString { "kCFStreamPropertySocketSecurityLevel" }
/// The level without TLS.
public var kCFStreamSocketSecurityLevelNone: CFString { "kCFStreamSocketSecurityLevelNone" }
/// TLS; of a version that is safe today.
public var kCFStreamSocketSecurityLevelTLSv1: CFString { "kCFStreamSocketSecurityLevelTLSv1" }
/// TLS of the greatest version that both sides know.
public var kCFStreamSocketSecurityLevelNegotiatedSSL: CFString {
  "kCFStreamSocketSecurityLevelNegotiatedSSL"
}
/// SSL 2, which is refused.
public var kCFStreamSocketSecurityLevelSSLv2: CFString { "kCFStreamSocketSecurityLevelSSLv2" }
/// SSL 3, which is refused.
public var kCFStreamSocketSecurityLevelSSLv3: CFString { "kCFStreamSocketSecurityLevelSSLv3" }
/// The property of the TLS settings, a dictionary.
public var kCFStreamPropertySSLSettings: CFString { "kCFStreamPropertySSLSettings" }
/// The property of the peer's trust, a `SecTrust`.
public var kCFStreamPropertySSLPeerTrust: CFString { "kCFStreamPropertySSLPeerTrust" }
/// The property of the peer's certificates, a list of `SecCertificate`.
public var kCFStreamPropertySSLPeerCertificates: CFString { "kCFStreamPropertySSLPeerCertificates" }
/// The property that says whether the end of the streams closes the socket.
public var kCFStreamPropertyShouldCloseNativeSocket: CFString {
  "kCFStreamPropertyShouldCloseNativeSocket"
}
/// The property of the socket's descriptor, the bytes of an `Int32`.
public var kCFStreamPropertySocketNativeHandle: CFString { "kCFStreamPropertySocketNativeHandle" }
/// The property of the host's name.
public var kCFStreamPropertySocketRemoteHostName: CFString {
  "kCFStreamPropertySocketRemoteHostName"
}
/// The property of the host's port.
public var kCFStreamPropertySocketRemotePortNumber: CFString {
  "kCFStreamPropertySocketRemotePortNumber"
}
/// The property of a SOCKS proxy, a dictionary.
public var kCFStreamPropertySOCKSProxy: CFString { "kCFStreamPropertySOCKSProxy" }
/// The proxy's host, in its dictionary.
public var kCFStreamPropertySOCKSProxyHost: CFString { "SOCKSProxy" }
/// The proxy's port, in its dictionary.
public var kCFStreamPropertySOCKSProxyPort: CFString { "SOCKSPort" }
/// The protocol's version, in the proxy's dictionary.
public var kCFStreamPropertySOCKSVersion: CFString { "kCFStreamPropertySOCKSVersion" }
/// SOCKS 4.
public var kCFStreamSocketSOCKSVersion4: CFString { "kCFStreamSocketSOCKSVersion4" }
/// SOCKS 5.
public var kCFStreamSocketSOCKSVersion5: CFString { "kCFStreamSocketSOCKSVersion5" }
/// The user's name, in the proxy's dictionary.
public var kCFStreamPropertySOCKSUser: CFString { "kCFStreamPropertySOCKSUser" }
/// The user's password, in the proxy's dictionary.
public var kCFStreamPropertySOCKSPassword: CFString { "kCFStreamPropertySOCKSPassword" }
/// The property of the service type.
public var kCFStreamNetworkServiceType: CFString { "kCFStreamNetworkServiceType" }
/// What can wait.
public var kCFStreamNetworkServiceTypeBackground: CFString {
  "kCFStreamNetworkServiceTypeBackground"
}
/// Moving pictures.
public var kCFStreamNetworkServiceTypeVideo: CFString { "kCFStreamNetworkServiceTypeVideo" }
/// Speech.
public var kCFStreamNetworkServiceTypeVoice: CFString { "kCFStreamNetworkServiceTypeVoice" }
/// The signals of calls.
public var kCFStreamNetworkServiceTypeVoIP: CFString { "kCFStreamNetworkServiceTypeVoIP" }
/// The signals of calls.
public var kCFStreamNetworkServiceTypeCallSignaling: CFString {
  "kCFStreamNetworkServiceTypeCallSignaling"
}

/// The property of a stream's TLS, an `SSLContext`, to read.
public var kCFStreamPropertySSLContext: CFString { "kCFStreamPropertySSLContext" }
