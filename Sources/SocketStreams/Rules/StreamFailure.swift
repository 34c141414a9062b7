internal import Foundation
internal import Kernel
internal import Names
internal import Sockets
internal import TLS

/// Why a stream is in error.
enum StreamFailure: Error, Hashable, Sendable {
  /// The connection, its making or its TLS.
  case socket(SocketError)
  /// The SOCKS proxy does not serve.
  case proxy(ProxyFailure)
  /// The stream that reads what is written here was closed.
  case closedByReader
  /// The stream is none of a connection's.
  case unusable
}

/// Domains and numbers as code on Darwin knows them.
extension StreamFailure {
  /// The error that `streamError` is.
  var error: NSError {
    NSError(domain: domain, code: Int(code), userInfo: [NSLocalizedDescriptionKey: sentence])
  }

  private var domain: String {
    switch kind {
    case .system: NSPOSIXErrorDomain
    case .name: "kCFErrorDomainCFNetwork"
    case .security: NSOSStatusErrorDomain
    case .proxy: NSStreamSOCKSErrorDomain
    }
  }

  /// The domain that `CFStreamError` counts.
  var streamDomain: Int {
    switch kind {
    case .system: kCFStreamErrorDomainPOSIX
    case .name: Int(kCFStreamErrorDomainNetDB)
    case .security: Int(kCFStreamErrorDomainSSL)
    case .proxy: Int(kCFStreamErrorDomainSOCKS)
    }
  }

  /// The number within the domain.
  var code: Int32 { numbered.code }

  private enum Kind {
    case system
    case name
    case security
    case proxy
  }

  private var kind: Kind { numbered.kind }

  private var numbered: (kind: Kind, code: Int32) {
    switch self {
    case .socket(.system(let error, _)), .socket(.reset(let error)): (.system, error.rawValue)
    case .socket(.name): (.name, StreamFailure.unknownHost)
    case .socket(.unreachable(_, let failure)): (.system, StreamFailure.number(of: failure))
    case .socket(.timedOut): (.system, Errno.timedOut.rawValue)
    case .socket(.endOfStream), .socket(.closed), .socket(.cancelled): (.system, ENOTCONN)
    case .socket(.delimiterNotFound): (.system, EMSGSIZE)
    case .socket(.invalid): (.system, EINVAL)
    case .socket(.tls(let error)): (.security, StreamFailure.number(of: error))
    case .proxy(let failure): (.proxy, failure.number)
    case .closedByReader: (.system, EPIPE)
    case .unusable: (.system, EINVAL)
    }
  }

  /// kCFHostErrorUnknown: the name gave no address.
  private static let unknownHost: Int32 = 2

  private static func number(of failure: RaceFailure) -> Int32 {
    switch failure {
    case .refused: ECONNREFUSED
    case .connect(let error): error.rawValue
    case .resolution: EHOSTUNREACH
    case .timedOutResolving, .timedOutConnecting: ETIMEDOUT
    }
  }

  /// SecureTransport's numbers.
  private static func number(of error: TLSError) -> Int32 {
    switch error {
    case .untrusted: -9807
    case .handshake: -9824
    case .handshakeTimedOut: -9853
    case .truncated: -9816
    case .protocolViolation: -9800
    case .configuration: -9830
    }
  }

  private var sentence: String {
    switch self {
    case .socket(let error): error.description
    case .proxy(let failure): failure.description
    case .closedByReader: "the stream that reads what is written here was closed"
    case .unusable: "this stream was made without a connection"
    }
  }
}
