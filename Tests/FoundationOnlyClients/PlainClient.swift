// Written as people write for Darwin, which the house does not.
// swift-format-ignore-file

import Foundation

/// A client whose source imports nothing but Foundation.
public final class PlainClient: NSObject, StreamDelegate {
  private var inStream: InputStream?
  private var outStream: OutputStream?
  public private(set) var answer = Data()
  public private(set) var isOver = false

  /// Connects, asks, and waits for the end of the answer.
  public func ask(_ question: String, host: String, port: Int) {
    Stream.getStreamsToHost(
      withName: host, port: port, inputStream: &inStream, outputStream: &outStream)
    inStream?.delegate = self
    outStream?.delegate = self
    inStream?.schedule(in: RunLoop.current, forMode: RunLoop.Mode.default)
    outStream?.schedule(in: RunLoop.current, forMode: RunLoop.Mode.default)
    inStream?.setProperty(
      kCFBooleanTrue, forKey: kCFStreamPropertyShouldCloseNativeSocket as Stream.PropertyKey)
    inStream?.open()
    outStream?.open()
    let bytes = Array(question.utf8)
    _ = outStream?.write(bytes, maxLength: bytes.count)
    outStream?.close()
    let deadline = Date(timeIntervalSinceNow: 20)
    while !isOver, Date() < deadline {
      _ = RunLoop.current.run(mode: .default, before: deadline)
    }
    inStream?.close()
  }

  public func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
    switch eventCode {
    case .hasBytesAvailable:
      var buffer = [UInt8](repeating: 0, count: 100)
      let count = inStream!.read(&buffer, maxLength: buffer.count)
      if count > 0 { answer.append(contentsOf: buffer[..<count]) }
    case .endEncountered, .errorOccurred:
      isOver = true
    default: break
    }
  }
}
