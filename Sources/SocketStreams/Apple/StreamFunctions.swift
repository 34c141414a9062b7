public import Dispatch
public import Foundation
public import Security

// CFReadStream and CFWriteStream. Where a function does what a method of `Stream` does, it works on
// every stream, Foundation's own too.

/// Opens a stream; false when it was opened before.
@discardableResult
public func CFReadStreamOpen(_ stream: CFReadStream?) -> Bool { openStream(stream) }

/// Opens a stream; false when it was opened before.
@discardableResult
public func CFWriteStreamOpen(_ stream: CFWriteStream?) -> Bool { openStream(stream) }

private func openStream(_ stream: Stream?) -> Bool {
  guard let stream, stream.streamStatus == .notOpen else { return false }
  stream.open()
  return true
}

/// Closes a stream.
public func CFReadStreamClose(_ stream: CFReadStream?) { stream?.close() }

/// Closes a stream.
public func CFWriteStreamClose(_ stream: CFWriteStream?) { stream?.close() }

/// How a stream stands.
public func CFReadStreamGetStatus(_ stream: CFReadStream?) -> CFStreamStatus { status(of: stream) }

/// How a stream stands.
public func CFWriteStreamGetStatus(_ stream: CFWriteStream?) -> CFStreamStatus {
  status(of: stream)
}

private func status(of stream: Stream?) -> CFStreamStatus {
  guard let stream else { return .error }
  return CFStreamStatus(rawValue: CFIndex(stream.streamStatus.rawValue)) ?? .error
}

/// Why a stream failed; nil when it has not.
public func CFReadStreamCopyError(_ stream: CFReadStream?) -> CFError? {
  stream?.streamError.map { $0 as NSError }
}

/// Why a stream failed; nil when it has not.
public func CFWriteStreamCopyError(_ stream: CFWriteStream?) -> CFError? {
  stream?.streamError.map { $0 as NSError }
}

/// Why a stream failed, in two numbers.
public func CFReadStreamGetError(_ stream: CFReadStream?) -> CFStreamError { error(of: stream) }

/// Why a stream failed, in two numbers.
public func CFWriteStreamGetError(_ stream: CFWriteStream?) -> CFStreamError {
  error(of: stream)
}

private func error(of stream: Stream?) -> CFStreamError {
  if let stream = stream as? any SocketStream { return stream.numberedError }
  guard let error = stream?.streamError else { return CFStreamError() }
  let number = error as NSError
  let isSystem = number.domain == NSPOSIXErrorDomain
  return CFStreamError(
    domain: isSystem ? kCFStreamErrorDomainPOSIX : CFStreamErrorDomain.custom.rawValue,
    error: Int32(clamping: number.code))
}

/// Whether a read would give something at once.
public func CFReadStreamHasBytesAvailable(_ stream: CFReadStream?) -> Bool {
  stream?.hasBytesAvailable ?? false
}

/// Whether a write would be taken at once.
public func CFWriteStreamCanAcceptBytes(_ stream: CFWriteStream?) -> Bool {
  stream?.hasSpaceAvailable ?? false
}

/// The value of a property; nil when there is none.
public func CFReadStreamCopyProperty(
  _ stream: CFReadStream?, _ key: CFStreamPropertyKey
) -> CFTypeRef? {
  stream?.property(forKey: key)
}

/// The value of a property; nil when there is none.
public func CFWriteStreamCopyProperty(
  _ stream: CFWriteStream?, _ key: CFStreamPropertyKey
) -> CFTypeRef? {
  stream?.property(forKey: key)
}

/// The value of a property; nil when there is none.
public func CFReadStreamCopyProperty(_ stream: CFReadStream?, _ key: CFString) -> CFTypeRef? {
  stream?.property(forKey: CFStreamPropertyKey(key))
}

/// The value of a property; nil when there is none.
public func CFWriteStreamCopyProperty(_ stream: CFWriteStream?, _ key: CFString) -> CFTypeRef? {
  stream?.property(forKey: CFStreamPropertyKey(key))
}

/// Sets a property; false when there is no such, or the value is none for it.
@discardableResult
public func CFReadStreamSetProperty(
  _ stream: CFReadStream?, _ key: CFStreamPropertyKey, _ value: Any?
) -> Bool {
  stream?.setProperty(value, forKey: key) ?? false
}

/// Sets a property; false when there is no such, or the value is none for it.
@discardableResult
public func CFWriteStreamSetProperty(
  _ stream: CFWriteStream?, _ key: CFStreamPropertyKey, _ value: Any?
) -> Bool {
  stream?.setProperty(value, forKey: key) ?? false
}

// MARK: Where events go

/// Has a stream tell its events in a run loop.
public func CFReadStreamScheduleWithRunLoop(
  _ stream: CFReadStream?, _ runLoop: CFRunLoop?, _ mode: CFRunLoopMode?
) {
  if let runLoop, let mode { stream?.schedule(in: runLoop, forMode: mode) }
}

/// Has a stream tell its events in a run loop.
public func CFWriteStreamScheduleWithRunLoop(
  _ stream: CFWriteStream?, _ runLoop: CFRunLoop?, _ mode: CFRunLoopMode?
) {
  if let runLoop, let mode { stream?.schedule(in: runLoop, forMode: mode) }
}

/// Has a stream tell no more events in a run loop.
public func CFReadStreamUnscheduleFromRunLoop(
  _ stream: CFReadStream?, _ runLoop: CFRunLoop?, _ mode: CFRunLoopMode?
) {
  if let runLoop, let mode { stream?.remove(from: runLoop, forMode: mode) }
}

/// Has a stream tell no more events in a run loop.
public func CFWriteStreamUnscheduleFromRunLoop(
  _ stream: CFWriteStream?, _ runLoop: CFRunLoop?, _ mode: CFRunLoopMode?
) {
  if let runLoop, let mode { stream?.remove(from: runLoop, forMode: mode) }
}

/// Has a socket stream tell its events on a queue, and in no run loop any more.
public func CFReadStreamSetDispatchQueue(_ stream: CFReadStream?, _ queue: DispatchQueue?) {
  (stream as? any SocketStream)?.port.setQueue(queue)
}

/// Has a socket stream tell its events on a queue, and in no run loop any more.
public func CFWriteStreamSetDispatchQueue(_ stream: CFWriteStream?, _ queue: DispatchQueue?) {
  (stream as? any SocketStream)?.port.setQueue(queue)
}

/// The queue of a socket stream's events.
public func CFReadStreamCopyDispatchQueue(_ stream: CFReadStream?) -> DispatchQueue? {
  (stream as? any SocketStream)?.port.queue
}

/// The queue of a socket stream's events.
public func CFWriteStreamCopyDispatchQueue(_ stream: CFWriteStream?) -> DispatchQueue? {
  (stream as? any SocketStream)?.port.queue
}

/// The run loop of this thread.
public func CFRunLoopGetCurrent() -> CFRunLoop? { RunLoop.current }

/// The run loop of the main thread.
public func CFRunLoopGetMain() -> CFRunLoop? { RunLoop.main }
