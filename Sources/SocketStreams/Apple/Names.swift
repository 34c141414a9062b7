public import Foundation
public import Security

// CoreFoundation's names for what Foundation has.

/// A stream to read from.
public typealias CFReadStream = InputStream
/// A stream to write to.
public typealias CFWriteStream = OutputStream
/// The name of a stream's property.
public typealias CFStreamPropertyKey = Stream.PropertyKey
/// Flags of an option.
public typealias CFOptionFlags = UInt
/// The descriptor of a socket.
public typealias CFSocketNativeHandle = Int32
/// A run loop.
public typealias CFRunLoop = RunLoop
/// A run loop's mode.
public typealias CFRunLoopMode = RunLoop.Mode

extension RunLoop.Mode {
  /// The mode that run loops run in.
  public static var defaultMode: RunLoop.Mode { .default }
  /// The modes that are called common.
  public static var commonModes: RunLoop.Mode { .common }
}

/// The mode that run loops run in.
public var kCFRunLoopDefaultMode: CFRunLoopMode { .default }
/// The modes that are called common.
public var kCFRunLoopCommonModes: CFRunLoopMode { .common }

/// How a stream stands.
public enum CFStreamStatus: CFIndex, Sendable {
  /// It was not opened.
  case notOpen
  /// Its connection is being made.
  case opening
  /// It is open.
  case open
  /// A thread waits for bytes.
  case reading
  /// A thread waits for room.
  case writing
  /// Everything was read.
  case atEnd
  /// It was closed.
  case closed
  /// It has failed.
  case error
}

/// What a stream tells.
public struct CFStreamEventType: OptionSet, Sendable {
  /// The bits.
  public let rawValue: CFOptionFlags

  /// A set with these bits.
  public init(rawValue: CFOptionFlags) {
    self.rawValue = rawValue
  }

  /// The stream is open.
  public static let openCompleted = CFStreamEventType(rawValue: 1)
  /// There are bytes to read.
  public static let hasBytesAvailable = CFStreamEventType(rawValue: 2)
  /// There is room to write.
  public static let canAcceptBytes = CFStreamEventType(rawValue: 4)
  /// The stream has failed.
  public static let errorOccurred = CFStreamEventType(rawValue: 8)
  /// Everything was read.
  public static let endEncountered = CFStreamEventType(rawValue: 16)
}

/// Why a stream failed, in two numbers.
public struct CFStreamError: Hashable, Sendable {
  /// Whose number it is.
  public var domain: CFIndex
  /// The number; 0 for none.
  public var error: Int32

  /// No error.
  public init() {
    self.init(domain: 0, error: 0)
  }

  /// An error.
  public init(domain: CFIndex, error: Int32) {
    self.domain = domain
    self.error = error
  }
}

/// The domains of a ``CFStreamError``.
public enum CFStreamErrorDomain: CFIndex, Sendable {
  /// Somebody's own.
  case custom = -1
  /// The system's error numbers.
  case POSIX = 1
  /// Of the Macintosh.
  case macOSStatus = 2
}

/// The domain of the system's error numbers.
public let kCFStreamErrorDomainPOSIX: CFIndex = 1
/// The domain of TLS.
public let kCFStreamErrorDomainSSL: Int32 = 3
/// The domain of SOCKS.
public let kCFStreamErrorDomainSOCKS: Int32 = 5
/// The domain of names.
public let kCFStreamErrorDomainNetDB: Int32 = 12
