internal import Foundation
internal import Kernel
internal import Reactor
internal import Sockets

extension GCDAsyncSocket {
  /// How far the current read is, from 0 to 1; not a number where there is none. Without a length
  /// that is known beforehand it is 1.
  public func progressOfRead(
    returningTag tagPtr: UnsafeMutablePointer<Int>?, bytesDone donePtr: UnsafeMutablePointer<UInt>?,
    total totalPtr: UnsafeMutablePointer<UInt>?
  ) -> Float {
    unsafe report(currentRead, tagPtr, donePtr, totalPtr)
  }

  /// How far the current write is, from 0 to 1; not a number where there is none.
  public func progressOfWrite(
    returningTag tagPtr: UnsafeMutablePointer<Int>?, bytesDone donePtr: UnsafeMutablePointer<UInt>?,
    total totalPtr: UnsafeMutablePointer<UInt>?
  ) -> Float {
    unsafe report(currentWrite, tagPtr, donePtr, totalPtr)
  }

  private func report(
    _ progress: OperationProgress?, _ tag: UnsafeMutablePointer<Int>?,
    _ done: UnsafeMutablePointer<UInt>?, _ total: UnsafeMutablePointer<UInt>?
  ) -> Float {
    // The caller's places for the answer.
    unsafe tag?.pointee = progress?.tag ?? 0
    unsafe done?.pointee = progress?.done ?? 0
    unsafe total?.pointee = progress?.total ?? 0
    guard let progress else { return .nan }
    return progress.total == 0 ? 1 : Float(progress.done) / Float(progress.total)
  }
}

/// How far an operation is; a total of 0 is not known.
struct OperationProgress {
  var tag: Int
  var done: UInt
  var total: UInt
}

extension GCDAsyncSocket {
  fileprivate var currentRead: OperationProgress? {
    guard let session = state.withLock({ $0.stream }) else { return nil }
    return session.home.loop.sync {
      session.reads.operation.map {
        OperationProgress(
          tag: $0.tag, done: UInt($0.bytes.count), total: UInt($0.total ?? 0))
      }
    }
  }

  fileprivate var currentWrite: OperationProgress? {
    guard let session = state.withLock({ $0.stream }) else { return nil }
    return session.home.loop.sync {
      session.writes.operation.map {
        OperationProgress(tag: $0.tag, done: UInt($0.done), total: UInt($0.data.count))
      }
    }
  }
}
