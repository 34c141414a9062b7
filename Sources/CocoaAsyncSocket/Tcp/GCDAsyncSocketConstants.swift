/// The original's exception name; nothing here raises one.
public let GCDAsyncSocketException = "GCDAsyncSocketException"
/// The domain of ``GCDAsyncSocketError``.
public let GCDAsyncSocketErrorDomain = "GCDAsyncSocketErrorDomain"
/// The original's name of its queues.
public let GCDAsyncSocketQueueName = "GCDAsyncSocket"
/// The original's name of its thread.
public let GCDAsyncSocketThreadName = "GCDAsyncSocket-CFStream"

// MARK: The keys of TLS settings

/// A boolean: the delegate decides whether to trust the peer.
public let GCDAsyncSocketManuallyEvaluateTrust = "GCDAsyncSocketManuallyEvaluateTrust"
/// A boolean that has no effect: there is one implementation of TLS here.
public let GCDAsyncSocketUseCFStreamForTLS = "GCDAsyncSocketUseCFStreamForTLS"
/// A string: the host name that the server's certificate must be for.
public let GCDAsyncSocketSSLPeerName = kCFStreamSSLPeerName as String
/// An array: a `SecIdentity`, and the certificates between it and its authority.
public let GCDAsyncSocketSSLCertificates = kCFStreamSSLCertificates as String
/// A boolean: this side is the server.
public let GCDAsyncSocketSSLIsServer = kCFStreamSSLIsServer as String
/// Data: sessions with the same are resumed.
public let GCDAsyncSocketSSLPeerID = "GCDAsyncSocketSSLPeerID"
/// A number: the least version, an `SSLProtocol`.
public let GCDAsyncSocketSSLProtocolVersionMin = "GCDAsyncSocketSSLProtocolVersionMin"
/// A number: the greatest version, an `SSLProtocol`.
public let GCDAsyncSocketSSLProtocolVersionMax = "GCDAsyncSocketSSLProtocolVersionMax"
/// A boolean that has no effect.
public let GCDAsyncSocketSSLSessionOptionFalseStart = "GCDAsyncSocketSSLSessionOptionFalseStart"
/// A boolean that has no effect.
public let GCDAsyncSocketSSLSessionOptionSendOneByteRecord =
  "GCDAsyncSocketSSLSessionOptionSendOneByteRecord"
/// An array of numbers: the cipher suites as the protocol numbers them.
public let GCDAsyncSocketSSLCipherSuites = "GCDAsyncSocketSSLCipherSuites"
/// An array of strings: the application protocols in the order of preference.
public let GCDAsyncSocketSSLALPN = "GCDAsyncSocketSSLALPN"
/// Data that has no effect: the library has parameters of its own.
public let GCDAsyncSocketSSLDiffieHellmanParameters = "GCDAsyncSocketSSLDiffieHellmanParameters"
/// A number of seconds that the handshake has, 30 without it, 0 for no limit. The original has
/// none.
public let GCDAsyncSocketSSLHandshakeTimeout = "GCDAsyncSocketSSLHandshakeTimeout"
/// An array of `SecCertificate`: whose word is taken instead of the system's authorities. The
/// original has none.
public let GCDAsyncSocketSSLAnchorCertificates = "GCDAsyncSocketSSLAnchorCertificates"
