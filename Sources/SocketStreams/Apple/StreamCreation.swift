public import Foundation

extension Stream {
  /// Gives two streams that share a connection to a host; it is made when either is opened.
  ///
  /// A name that is none and a port out of range are told by the streams, as errors when they are
  /// opened.
  public class func getStreamsToHost(
    withName hostname: String, port: Int, inputStream: inout InputStream?,
    outputStream: inout OutputStream?
  ) {
    let link = StreamLink(.host(hostname, port: port), PairRules())
    inputStream = SocketInputStream(link)
    outputStream = SocketOutputStream(link)
  }

  /// The same for a caller that only reads.
  public class func getStreamsToHost(
    withName hostname: String, port: Int, inputStream: inout InputStream?,
    outputStream: NothingWanted?
  ) {
    inputStream = SocketInputStream(
      StreamLink(.host(hostname, port: port), PairRules(wanted: [.input])))
  }

  /// The same for a caller that only writes.
  public class func getStreamsToHost(
    withName hostname: String, port: Int, inputStream: NothingWanted?,
    outputStream: inout OutputStream?
  ) {
    outputStream = SocketOutputStream(
      StreamLink(.host(hostname, port: port), PairRules(wanted: [.output])))
  }

  /// Gives two streams of which the one reads what is written to the other, with so many bytes
  /// between them.
  public class func getBoundStreams(
    withBufferSize bufferSize: Int, inputStream: inout InputStream?,
    outputStream: inout OutputStream?
  ) {
    let link = StreamLink(.bound, PairRules(boundBy: max(1, bufferSize)))
    inputStream = SocketInputStream(link)
    outputStream = SocketOutputStream(link)
  }

  /// What `nil` is in the place of a stream that is not wanted.
  public enum NothingWanted: Sendable {}
}

extension Stream {
  /// Sets a property; false when there is no such, or the value is none for it.
  @discardableResult
  public func setProperty(_ property: Any?, forKey key: PropertyKey) -> Bool {
    guard let stream = self as? any SocketStream else {
      return setProperty(property as AnyObject?, forKey: key)
    }
    return stream.set(property, for: key)
  }

  /// Sets a property; false when there is no such, or the value is none for it.
  @discardableResult
  public func setProperty(_ property: NSObject?, forKey key: PropertyKey) -> Bool {
    setProperty(property as AnyObject?, forKey: key)
  }
}
