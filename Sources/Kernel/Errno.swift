internal import CKernel
internal import Glibc

/// An error number of the kernel, with its name and its sentence.
public struct Errno: Error, RawRepresentable, Hashable, Sendable {
  /// The positive error number.
  public let rawValue: Int32

  /// Makes an error of a positive error number.
  public init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  /// EACCES: not permitted by an address or a file's mode.
  public static let permissionDenied = Errno(rawValue: EACCES)
  /// EADDRINUSE: another socket has the address.
  public static let addressInUse = Errno(rawValue: EADDRINUSE)
  /// EADDRNOTAVAIL: no interface of this machine has the address.
  public static let addressNotAvailable = Errno(rawValue: EADDRNOTAVAIL)
  /// EAFNOSUPPORT: the kernel has no such address family.
  public static let addressFamilyNotSupported = Errno(rawValue: EAFNOSUPPORT)
  /// EPIPE: nobody reads at the other end.
  public static let brokenPipe = Errno(rawValue: EPIPE)
  /// ECONNREFUSED: nobody listens there.
  public static let connectionRefused = Errno(rawValue: ECONNREFUSED)
  /// ECONNRESET: the peer gave up the connection.
  public static let connectionReset = Errno(rawValue: ECONNRESET)
  /// ECONNABORTED: a connection went before it was accepted.
  public static let connectionAborted = Errno(rawValue: ECONNABORTED)
  /// EEXIST.
  public static let fileExists = Errno(rawValue: EEXIST)
  /// EINVAL: the call does not fit the object.
  public static let invalidArgument = Errno(rawValue: EINVAL)
  /// EMFILE: the process is at its descriptor limit.
  public static let tooManyOpenFiles = Errno(rawValue: EMFILE)
  /// ENFILE: the system is at its descriptor limit.
  public static let tooManyOpenFilesInSystem = Errno(rawValue: ENFILE)
  /// ENETUNREACH: this machine has no way to the network.
  public static let networkUnreachable = Errno(rawValue: ENETUNREACH)
  /// ENOBUFS.
  public static let noBufferSpace = Errno(rawValue: ENOBUFS)
  /// ENOENT.
  public static let noSuchFile = Errno(rawValue: ENOENT)
  /// ENOMEM.
  public static let outOfMemory = Errno(rawValue: ENOMEM)
  /// ENOTCONN.
  public static let notConnected = Errno(rawValue: ENOTCONN)
  /// ENOTSOCK.
  public static let notASocket = Errno(rawValue: ENOTSOCK)
  /// ETIMEDOUT: the peer did not answer.
  public static let timedOut = Errno(rawValue: ETIMEDOUT)

  static let again = Errno(rawValue: EAGAIN)
  static let inProgress = Errno(rawValue: EINPROGRESS)

  /// True for the limits of the process or system that pass when descriptors or memory are freed.
  public var isResourceLimit: Bool {
    switch self {
    case .tooManyOpenFiles, .tooManyOpenFilesInSystem, .noBufferSpace, .outOfMemory: true
    default: false
    }
  }

  /// True for what accept(2) tells of the one connection that it would have given out.
  public var isOneConnections: Bool {
    switch rawValue {
    case ECONNABORTED, EPROTO, EPERM, ETIMEDOUT, ENETDOWN, ENOPROTOOPT, EHOSTDOWN, ENONET,
      EHOSTUNREACH, EOPNOTSUPP, ENETUNREACH, ECONNRESET:
      true
    default: false
    }
  }

  /// The symbolic name, `ECONNREFUSED`.
  public var name: String {
    guard let name = unsafe adit_error_name(rawValue) else { return "errno \(rawValue)" }
    return unsafe String(cString: name)
  }
}

extension Errno: CustomStringConvertible {
  /// The kernel's sentence with its name: `Connection refused (ECONNREFUSED)`.
  public var description: String {
    guard let sentence = unsafe adit_error_description(rawValue) else { return name }
    return unsafe "\(String(cString: sentence)) (\(name))"
  }
}

/// Turns `CKernel`'s convention, a negative error number, into a thrown error.
func check<Result: BinaryInteger>(_ result: Result) throws(Errno) -> Result {
  guard result >= 0 else { throw Errno(rawValue: Int32(truncatingIfNeeded: 0 - Int(result))) }
  return result
}
