internal import Foundation

/// The output stream of a pair.
final class SocketOutputStream: OutputStream, SocketStream {
  let link: StreamLink
  var side: StreamSide { .output }

  init(_ link: StreamLink) {
    self.link = link
    super.init(toMemory: ())
    link.outputPort.setTarget(self)
  }

  /// Every class of output streams can be asked for one to memory; of this class it cannot open.
  required init(toMemory: ()) {
    link = StreamLink(.native(-1), PairRules(wanted: [.output]))
    super.init(toMemory: ())
    link.outputPort.setTarget(self)
  }

  deinit {
    link.close(.output)
    link.outputPort.leaveLoops()
  }

  override var delegate: (any StreamDelegate)? {
    get { link.outputPort.delegate ?? self }
    set { link.outputPort.delegate = newValue === self ? nil : newValue }
  }

  override func open() { link.open(.output) }
  override func close() { link.close(.output) }
  override var streamStatus: Stream.Status { link.look(\.rules.output.status) }
  override var streamError: (any Error)? { link.look(\.rules.output.failure)?.error }
  override var hasSpaceAvailable: Bool { link.look(\.rules.output.hasSpace) }

  override func write(_ buffer: UnsafePointer<UInt8>, maxLength length: Int) -> Int {
    // The caller says that `length` bytes are there.
    unsafe link.write(buffer, count: length)
  }

  override func property(forKey key: Stream.PropertyKey) -> AnyObject? {
    value(for: key) as AnyObject?
  }

  override func setProperty(_ property: AnyObject?, forKey key: Stream.PropertyKey) -> Bool {
    set(property, for: key)
  }

  override func schedule(in runLoop: RunLoop, forMode mode: RunLoop.Mode) {
    link.outputPort.schedule(in: runLoop, mode)
  }

  override func remove(from runLoop: RunLoop, forMode mode: RunLoop.Mode) {
    link.outputPort.remove(from: runLoop, mode)
  }

  /// What a stream tells itself that has no delegate.
  func stream(_ stream: Stream, handle event: Stream.Event) {}
}
