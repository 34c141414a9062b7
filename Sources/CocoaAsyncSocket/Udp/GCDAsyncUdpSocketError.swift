public import Foundation
internal import Kernel
internal import Sockets

/// The domain of the errors that the socket itself makes.
public let GCDAsyncUdpSocketErrorDomain = "GCDAsyncUdpSocketErrorDomain"
/// The name of the exception of the original, which this implementation does not raise.
public let GCDAsyncUdpSocketException = "GCDAsyncUdpSocketException"
/// The name of the original's socket queue.
public let GCDAsyncUdpSocketQueueName = "GCDAsyncUdpSocket"
/// The name of the original's stream thread.
public let GCDAsyncUdpSocketThreadName = "GCDAsyncUdpSocket-CFStream"

/// An error that the socket itself makes; errors of the system are of `NSPOSIXErrorDomain`.
public struct GCDAsyncUdpSocketError: CustomNSError, LocalizedError, Hashable, Sendable {
  /// What kind of error it is.
  public enum Code: Int, Sendable {
    /// Never used.
    case noError = 0
    /// The socket is not in a state, or not set up, for this.
    case badConfigError
    /// An argument cannot be used.
    case badParamError
    /// There was no room for a datagram in time.
    case sendTimeoutError
    /// The socket was closed.
    case closedError
    /// Anything else.
    case otherError

    /// So that a code can be caught by its name.
    public static func ~= (code: Code, error: any Error) -> Bool {
      (error as? GCDAsyncUdpSocketError)?.code == code
    }
  }

  /// What kind of error it is.
  public let code: Code
  /// What happened, in a sentence.
  public let errorDescription: String?

  /// Makes an error of a kind.
  public init(_ code: Code, userInfo: [String: Any] = [:]) {
    self.code = code
    errorDescription = userInfo[NSLocalizedDescriptionKey] as? String
  }

  init(_ code: Code, _ sentence: String) {
    self.code = code
    errorDescription = sentence
  }

  /// Never used.
  public static var noError: Code { .noError }
  /// The socket is not in a state, or not set up, for this.
  public static var badConfigError: Code { .badConfigError }
  /// An argument cannot be used.
  public static var badParamError: Code { .badParamError }
  /// There was no room for a datagram in time.
  public static var sendTimeoutError: Code { .sendTimeoutError }
  /// The socket was closed.
  public static var closedError: Code { .closedError }
  /// Anything else.
  public static var otherError: Code { .otherError }

  /// `GCDAsyncUdpSocketErrorDomain`.
  public static var errorDomain: String { GCDAsyncUdpSocketErrorDomain }
  /// The code's number.
  public var errorCode: Int { code.rawValue }
  /// The sentence, under `NSLocalizedDescriptionKey`.
  public var errorUserInfo: [String: Any] {
    errorDescription.map { [NSLocalizedDescriptionKey: $0] } ?? [:]
  }
}

/// Errors in the form that callers of the original meet.
enum UdpFailure {
  static func refusal(_ refusal: UdpLifecycle.Refusal) -> GCDAsyncUdpSocketError {
    GCDAsyncUdpSocketError(.badConfigError, refusal.rawValue)
  }

  static func parameter(_ sentence: String) -> GCDAsyncUdpSocketError {
    GCDAsyncUdpSocketError(.badParamError, sentence)
  }

  static func system(_ error: Errno, doing: String) -> NSError {
    NSError(
      domain: NSPOSIXErrorDomain, code: Int(error.rawValue),
      userInfo: [NSLocalizedDescriptionKey: "\(doing): \(error)"])
  }

  static func socket(_ error: SocketError) -> any Error {
    switch error {
    case .system(let code, let doing): system(code, doing: doing)
    case .name:
      NSError(
        domain: "kCFStreamErrorDomainNetDB", code: noName,
        userInfo: [NSLocalizedDescriptionKey: error.description])
    case .closed: GCDAsyncUdpSocketError(.closedError, error.description)
    case .invalid: GCDAsyncUdpSocketError(.badParamError, error.description)
    default: GCDAsyncUdpSocketError(.otherError, error.description)
    }
  }

  /// EAI_NONAME.
  private static let noName = -2
}
