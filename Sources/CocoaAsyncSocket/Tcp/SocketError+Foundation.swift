internal import Foundation
internal import Kernel
internal import Names
internal import Sockets
internal import TLS

extension SocketError {
  /// The error as delegates know it: its domain and code are the original's, and its sentence says
  /// what failed.
  var forDelegate: any Error {
    switch self {
    case .system(let error, _), .reset(let error), .unreachable(_, .connect(let error)):
      posix(error)
    case .unreachable(_, .refused): posix(.connectionRefused)
    case .name(_, let failure), .unreachable(_, .resolution(let failure)):
      NSError(
        domain: "kCFStreamErrorDomainNetDB", code: failure.resolverCode, userInfo: userInfo)
    case .timedOut(.connecting), .unreachable(_, .timedOutConnecting),
      .unreachable(_, .timedOutResolving):
      own(.connectTimeoutError)
    case .timedOut(.receiving): own(.readTimeoutError)
    case .timedOut(.sending): own(.writeTimeoutError)
    case .timedOut(.handshaking), .timedOut(.closing), .cancelled: own(.otherError)
    case .endOfStream, .closed: own(.closedError)
    case .delimiterNotFound: own(.readMaxedOutError)
    case .invalid: own(.badParamError)
    case .tls(let error):
      NSError(domain: "kCFStreamErrorDomainSSL", code: error.statusCode, userInfo: userInfo)
    }
  }

  private var userInfo: [String: Any] { [NSLocalizedDescriptionKey: description] }

  private func own(_ code: GCDAsyncSocketError.Code) -> GCDAsyncSocketError {
    GCDAsyncSocketError(code, description: description)
  }

  private func posix(_ error: Errno) -> any Error {
    NSError(domain: NSPOSIXErrorDomain, code: Int(error.rawValue), userInfo: userInfo)
  }
}

extension ResolutionFailure {
  /// The EAI number of getaddrinfo(3) that says the same.
  fileprivate var resolverCode: Int {
    switch self {
    case .notFound, .badName: -2
    case .timedOut, .serverFailure: -3
    case .refused: -4
    case .noAddress: -5
    case .outOfResources: -10
    case .cancelled: -101
    }
  }
}

extension TLSError {
  /// The number that Darwin's Secure Transport has for it.
  fileprivate var statusCode: Int {
    switch self {
    case .untrusted: -9807
    case .handshake: -9824
    case .handshakeTimedOut: -9853
    case .truncated: -9816
    case .protocolViolation: -9800
    case .configuration: -9830
    }
  }
}
