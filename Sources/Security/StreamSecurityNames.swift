public import Foundation

// The keys of TLS settings, which streams and sockets of delegates share.

/// The level in the TLS settings.
public var kCFStreamSSLLevel: CFString { "kCFStreamSSLLevel" }
/// The name in the peer's certificate, or null for any, in the TLS settings.
public var kCFStreamSSLPeerName: CFString { "kCFStreamSSLPeerName" }
/// Whether the peer's certificate is verified, in the TLS settings.
public var kCFStreamSSLValidatesCertificateChain: CFString {
  "kCFStreamSSLValidatesCertificateChain"
}
/// An identity and the certificates behind it, in the TLS settings.
public var kCFStreamSSLCertificates: CFString { "kCFStreamSSLCertificates" }
/// Whether this side is the server, in the TLS settings.
public var kCFStreamSSLIsServer: CFString { "kCFStreamSSLIsServer" }
/// Without effect on streams, refused by sockets of delegates: decide the trust yourself.
public var kCFStreamSSLAllowsExpiredCertificates: CFString {
  "kCFStreamSSLAllowsExpiredCertificates"
}
/// Without effect on streams, refused by sockets of delegates: decide the trust yourself.
public var kCFStreamSSLAllowsExpiredRoots: CFString { "kCFStreamSSLAllowsExpiredRoots" }
/// Without effect on streams, refused by sockets of delegates: decide the trust yourself.
public var kCFStreamSSLAllowsAnyRoot: CFString { "kCFStreamSSLAllowsAnyRoot" }
