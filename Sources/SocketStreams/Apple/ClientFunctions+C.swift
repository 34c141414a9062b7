public import Foundation
public import Security

/// What a stream's function is called with besides the stream and the event.
///
/// Pointers are the caller's, who says what they are.
@unsafe public struct CFStreamClientContext {
  /// Always 0.
  public var version: CFIndex
  /// The caller's pointer.
  public var info: UnsafeMutableRawPointer?
  /// Called with the pointer when the stream takes it over; what it returns is kept.
  public var retain: ((UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?)?
  /// Called with the pointer when the stream lets go of it.
  public var release: ((UnsafeMutableRawPointer?) -> Void)?
  /// Never called.
  public var copyDescription: ((UnsafeMutableRawPointer?) -> Unmanaged<CFString>?)?

  /// A context of nothing.
  public init() {
    unsafe self.init(version: 0, info: nil, retain: nil, release: nil, copyDescription: nil)
  }

  /// A context of a pointer.
  public init(
    version: CFIndex, info: UnsafeMutableRawPointer?,
    retain: ((UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?)?,
    release: ((UnsafeMutableRawPointer?) -> Void)?,
    copyDescription: ((UnsafeMutableRawPointer?) -> Unmanaged<CFString>?)?
  ) {
    unsafe self.version = version
    unsafe self.info = info
    unsafe self.retain = retain
    unsafe self.release = release
    unsafe self.copyDescription = copyDescription
  }
}

/// A function that hears of a stream's events.
public typealias CFReadStreamClientCallBack =
  (CFReadStream?, CFStreamEventType, UnsafeMutableRawPointer?) -> Void
/// A function that hears of a stream's events.
public typealias CFWriteStreamClientCallBack =
  (CFWriteStream?, CFStreamEventType, UnsafeMutableRawPointer?) -> Void

/// Has a function called with a socket stream's events, in the place of its delegate; none ends
/// that. False when it is no socket stream.
@discardableResult
public func CFReadStreamSetClient(
  _ stream: CFReadStream?, _ events: CFOptionFlags, _ function: CFReadStreamClientCallBack?,
  _ context: UnsafeMutablePointer<CFStreamClientContext>?
) -> Bool {
  guard let port = (stream as? any SocketStream)?.port else { return false }
  guard let function = unsafe function, events != 0 else {
    port.client = nil
    return true
  }
  // The caller's context is read now, and its pointer kept as the caller says.
  let kept = unsafe ClientPointer(context?.pointee)
  port.client = StreamClient(CFStreamEventType(rawValue: events)) { stream, type in
    unsafe function(stream as? CFReadStream, type, kept.pointer)
  }
  return true
}

/// Has a function called with a socket stream's events, in the place of its delegate; none ends
/// that. False when it is no socket stream.
@discardableResult
public func CFWriteStreamSetClient(
  _ stream: CFWriteStream?, _ events: CFOptionFlags, _ function: CFWriteStreamClientCallBack?,
  _ context: UnsafeMutablePointer<CFStreamClientContext>?
) -> Bool {
  guard let port = (stream as? any SocketStream)?.port else { return false }
  guard let function = unsafe function, events != 0 else {
    port.client = nil
    return true
  }
  // The caller's context is read now, and its pointer kept as the caller says.
  let kept = unsafe ClientPointer(context?.pointee)
  port.client = StreamClient(CFStreamEventType(rawValue: events)) { stream, type in
    unsafe function(stream as? CFWriteStream, type, kept.pointer)
  }
  return true
}

/// A caller's pointer, retained and released as the caller says.
@safe private final class ClientPointer {
  let pointer: UnsafeMutableRawPointer?
  private let release: ((UnsafeMutableRawPointer?) -> Void)?

  init(_ context: CFStreamClientContext?) {
    let info = unsafe context?.info
    if let retain = unsafe context?.retain {
      unsafe pointer = unsafe retain(info)
    } else {
      unsafe pointer = info
    }
    unsafe release = unsafe context?.release
  }

  deinit {
    unsafe release?(pointer)
  }
}

/// Reads what is there, and waits while nothing is: the count, 0 at the end, -1 for an error.
public func CFReadStreamRead(
  _ stream: CFReadStream?, _ buffer: UnsafeMutablePointer<UInt8>?, _ length: CFIndex
) -> CFIndex {
  guard let stream, let buffer = unsafe buffer else { return -1 }
  // The caller says that `length` bytes are there.
  return unsafe stream.read(buffer, maxLength: length)
}

/// Writes what there is room for, and waits while there is none: the count, -1 for an error.
@discardableResult
public func CFWriteStreamWrite(
  _ stream: CFWriteStream?, _ buffer: UnsafePointer<UInt8>?, _ length: CFIndex
) -> CFIndex {
  guard let stream, let buffer = unsafe buffer else { return -1 }
  // The caller says that `length` bytes are there.
  return unsafe stream.write(buffer, maxLength: length)
}
