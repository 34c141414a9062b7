public import Foundation
internal import Kernel
internal import Names
internal import Sockets
internal import TLS

/// An error of ``GCDAsyncSocket`` itself. What the system says comes in `NSPOSIXErrorDomain`, what
/// the names' servers say in `kCFStreamErrorDomainNetDB`, and TLS in `kCFStreamErrorDomainSSL`.
public struct GCDAsyncSocketError: CustomNSError, LocalizedError, Hashable, Sendable {
  /// What went wrong.
  public enum Code: Int, Sendable {
    /// Nothing.
    case noError = 0
    /// The socket cannot do that now: it has no delegate, or is connected.
    case badConfigError
    /// An argument cannot be used.
    case badParamError
    /// The connection was not made in time.
    case connectTimeoutError
    /// A read was not complete in time.
    case readTimeoutError
    /// A write was not complete in time.
    case writeTimeoutError
    /// A separator did not come within the limit.
    case readMaxedOutError
    /// The peer closed the connection.
    case closedError
    /// Anything else.
    case otherError
  }

  /// Nothing went wrong.
  public static let noError = Code.noError
  /// The socket cannot do that now.
  public static let badConfigError = Code.badConfigError
  /// An argument cannot be used.
  public static let badParamError = Code.badParamError
  /// The connection was not made in time.
  public static let connectTimeoutError = Code.connectTimeoutError
  /// A read was not complete in time.
  public static let readTimeoutError = Code.readTimeoutError
  /// A write was not complete in time.
  public static let writeTimeoutError = Code.writeTimeoutError
  /// A separator did not come within the limit.
  public static let readMaxedOutError = Code.readMaxedOutError
  /// The peer closed the connection.
  public static let closedError = Code.closedError
  /// Anything else.
  public static let otherError = Code.otherError

  /// The domain.
  public static var errorDomain: String { GCDAsyncSocketErrorDomain }

  /// What went wrong.
  public let code: Code
  private let sentence: String

  /// Makes an error with its sentence.
  public init(_ code: Code, description: String? = nil) {
    self.code = code
    sentence = description ?? "GCDAsyncSocket: \(code)"
  }

  /// The code's number.
  public var errorCode: Int { code.rawValue }
  /// The sentence, for `NSError`.
  public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: sentence] }
  /// The sentence.
  public var errorDescription: String? { sentence }
  /// The sentence.
  public var localizedDescription: String { sentence }
}

extension GCDAsyncSocketError.Code {
  /// So that a `catch` can name a code.
  public static func ~= (code: GCDAsyncSocketError.Code, error: any Error) -> Bool {
    (error as? GCDAsyncSocketError)?.code == code
  }
}
