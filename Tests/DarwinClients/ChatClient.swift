// Written as people write for Darwin, which the house does not.
// swift-format-ignore-file

import Foundation
import SocketStreams

/// Hears what a chat client receives.
public protocol ChatClientDelegate: AnyObject {
  /// A message came.
  func received(message: String)
}

/// A chat client as tutorials of the years 2014 to 2020 have it.
public class ChatClient: NSObject {
  public var inputStream: InputStream!
  public var outputStream: OutputStream!
  public weak var delegate: ChatClientDelegate?
  public var events: [(Stream, Stream.Event)] = []
  public var isOver = false

  let maxReadLength = 4096

  /// Connects and joins the chat.
  public func setupNetworkCommunication(port: UInt32) {
    var readStream: Unmanaged<CFReadStream>?
    var writeStream: Unmanaged<CFWriteStream>?

    CFStreamCreatePairWithSocketToHost(
      kCFAllocatorDefault, "localhost" as CFString, port, &readStream, &writeStream)

    inputStream = readStream!.takeRetainedValue()
    outputStream = writeStream!.takeRetainedValue()

    inputStream.delegate = self
    outputStream.delegate = self

    inputStream.schedule(in: .current, forMode: .common)
    outputStream.schedule(in: .current, forMode: .common)

    inputStream.open()
    outputStream.open()
  }

  /// Says who one is.
  public func joinChat(username: String) {
    let data = "iam:\(username)".data(using: .utf8)!
    data.withUnsafeBytes {
      guard let pointer = $0.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
        print("Error joining chat")
        return
      }
      _ = outputStream.write(pointer, maxLength: data.count)
    }
  }

  /// Sends a message.
  public func send(message: String) {
    let data = [UInt8]("msg:\(message)".utf8)
    _ = outputStream.write(data, maxLength: data.count)
  }

  /// Leaves.
  public func stopChatSession() {
    inputStream.close()
    outputStream.close()
  }
}

extension ChatClient: StreamDelegate {
  public func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
    events.append((aStream, eventCode))
    switch eventCode {
    case .hasBytesAvailable:
      readAvailableBytes(stream: aStream as! InputStream)
    case .endEncountered:
      isOver = true
      stopChatSession()
    case .errorOccurred:
      isOver = true
    case .hasSpaceAvailable, .openCompleted:
      break
    default:
      print("some other event...")
    }
  }

  private func readAvailableBytes(stream: InputStream) {
    let buffer = UnsafeMutablePointer<UInt8>.allocate(capacity: maxReadLength)
    defer { buffer.deallocate() }
    while stream.hasBytesAvailable {
      let numberOfBytesRead = inputStream.read(buffer, maxLength: maxReadLength)
      if numberOfBytesRead < 0, let error = stream.streamError {
        print(error)
        break
      }
      let bytes = Array(UnsafeBufferPointer(start: buffer, count: numberOfBytesRead))
      if let message = String(bytes: bytes, encoding: .utf8) {
        delegate?.received(message: message)
      }
    }
  }
}
