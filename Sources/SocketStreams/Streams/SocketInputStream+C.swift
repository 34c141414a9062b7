internal import Foundation

/// The input stream of a pair.
final class SocketInputStream: InputStream, SocketStream {
  let link: StreamLink
  var side: StreamSide { .input }

  init(_ link: StreamLink) {
    self.link = link
    super.init(data: Data())
    link.inputPort.setTarget(self)
  }

  deinit {
    link.close(.input)
    link.inputPort.leaveLoops()
  }

  override var delegate: (any StreamDelegate)? {
    get { link.inputPort.delegate ?? self }
    set { link.inputPort.delegate = newValue === self ? nil : newValue }
  }

  override func open() { link.open(.input) }
  override func close() { link.close(.input) }
  override var streamStatus: Stream.Status { link.look(\.rules.input.status) }
  override var streamError: (any Error)? { link.look(\.rules.input.failure)?.error }
  override var hasBytesAvailable: Bool { link.look(\.rules.input.hasBytes) }

  override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int {
    // The caller says that `length` bytes are there.
    unsafe link.read(into: buffer, atMost: length)
  }

  /// There is no buffer to look into: the bytes belong to two threads.
  override func getBuffer(
    _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>,
    length: UnsafeMutablePointer<Int>
  ) -> Bool {
    false
  }

  override func property(forKey key: Stream.PropertyKey) -> AnyObject? {
    value(for: key) as AnyObject?
  }

  override func setProperty(_ property: AnyObject?, forKey key: Stream.PropertyKey) -> Bool {
    set(property, for: key)
  }

  override func schedule(in runLoop: RunLoop, forMode mode: RunLoop.Mode) {
    link.inputPort.schedule(in: runLoop, mode)
  }

  override func remove(from runLoop: RunLoop, forMode mode: RunLoop.Mode) {
    link.inputPort.remove(from: runLoop, mode)
  }

  /// What a stream tells itself that has no delegate.
  func stream(_ stream: Stream, handle event: Stream.Event) {}
}
