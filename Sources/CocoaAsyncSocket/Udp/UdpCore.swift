internal import Dispatch
internal import Foundation
internal import Kernel
internal import Names
internal import Reactor
internal import Sockets

/// A `GCDAsyncUdpSocket` on its loop: its two sockets, what is to be sent, and who is told.
///
/// Guard of the `@unchecked`: all but `home` and `loop` is used on the loop's thread only.
final class UdpCore: @unchecked Sendable {
  let home: SocketLoop
  let loop: EventLoop
  let scratch: DatagramScratch

  // Who is told, and what was set.
  weak var socket: GCDAsyncUdpSocket?
  weak var delegate: (any GCDAsyncUdpSocketDelegate)?
  var delegateQueue: DispatchQueue? {
    didSet { callbacks = delegateQueue.map { CallbackQueue.of($0) } }
  }
  private var callbacks: CallbackQueue?
  var settings = UdpSettings()
  var options = DatagramOptions()

  // From opening to closing.
  var lifecycle = UdpLifecycle()
  var channel4: DatagramChannel?
  var channel6: DatagramChannel?
  var admission: UdpAdmission?
  var peer: SocketAddress?
  /// Counts closings: an answer that was asked for before one is nobody's.
  var generation: UInt64 = 0

  // Sending.
  var sends = UdpSendQueue()
  var current: UdpSend?
  var isPumping = false
  var lookup: AddressLookup?
  var sendTimer: TimerToken?
  var sendFilter: (filter: GCDAsyncUdpSocketSendFilterBlock, queue: DispatchQueue)?
  /// What the network has answered to something sent before: told with the next datagram.
  var refusal: Errno?

  // Receiving.
  var receiveFilter: UdpReceiveFilter?
  var isFiltering = false
  var isReceiving = false
  var undelivered = UdpBacklog()

  init() throws(SocketError) {
    home = try SocketLoops.shared.next()
    loop = home.loop
    do { scratch = try DatagramScratch.of(loop) } catch {
      throw .system(error, doing: "making a datagram socket")
    }
  }

  var channels: [DatagramChannel] { [channel4, channel6].compactMap { $0 } }

  // MARK: Telling

  /// Both are called on the delegate queue only, which is the guard of the `@unchecked`.
  struct Listener: @unchecked Sendable {
    let delegate: any GCDAsyncUdpSocketDelegate
    let socket: GCDAsyncUdpSocket
  }

  /// Calls `body` on the delegate queue, after what was told before; false when nobody listens.
  @discardableResult
  func tell(_ body: @escaping @Sendable (Listener) -> Void) -> Bool {
    guard let socket, let delegate, let callbacks else { return false }
    let listener = Listener(delegate: delegate, socket: socket)
    callbacks.append(watchedBy: loop) { body(listener) }
    return true
  }

  // MARK: Opening and closing

  func checkDelegate() throws(UdpLifecycle.Refusal) {
    guard delegate != nil, delegateQueue != nil else { throw .neverDelegated }
  }

  /// Opens a socket for each family that is enabled and that the machine has.
  func open() throws {
    guard !lifecycle.isOpen else { return }
    guard settings.isIPv4Enabled || settings.isIPv6Enabled else {
      throw UdpFailure.refusal(.noFamily)
    }
    do {
      if settings.isIPv4Enabled { channel4 = try openChannel(.any4) }
      if settings.isIPv6Enabled { channel6 = try openIPv6() }
      for channel in channels { try channel.watch(self) }
    } catch {
      closeChannels()
      throw error
    }
    lifecycle.opened()
  }

  private func openIPv6() throws -> DatagramChannel? {
    do {
      return try openChannel(.any6)
    } catch SocketError.system(.addressFamilyNotSupported, _) where channel4 != nil {
      return nil
    }
  }

  private func openChannel(_ address: IPAddress) throws(SocketError) -> DatagramChannel {
    let socket = try SocketError.on("opening a datagram socket") { () throws(Errno) in
      try Descriptor.datagramSocket(for: .ip(address, port: 0))
    }
    let family = address.isIPv6 ? SocketOption.family6 : SocketOption.family4
    try options.applyBeforeBinding(socket, family: family)
    return DatagramChannel(socket, family: family, on: loop)
  }

  func closeChannels() {
    for channel in channels { channel.close() }
    channel4 = nil
    channel6 = nil
  }

  /// Keeps the socket of one family only.
  func keep(isIPv6: Bool) {
    if isIPv6 {
      channel4?.close()
      channel4 = nil
    } else {
      channel6?.close()
      channel6 = nil
    }
  }

  /// Closes at once: the port is free before anybody is told. What was not sent is dropped.
  func close(_ error: (any Error)?) {
    let wasOpen = lifecycle.isOpen
    generation += 1
    closeChannels()
    sends.removeAll()
    endCurrent()
    lifecycle.closed()
    admission = nil
    peer = nil
    refusal = nil
    isFiltering = false
    guard wasOpen else { return }
    tell { $0.delegate.udpSocketDidClose($0.socket, withError: error) }
  }

  func closeAfterSending() {
    guard lifecycle.isOpen else { return }
    lifecycle.beganClosing()
    pump()
  }
}

extension UdpCore: DatagramChannelOwner {
  func channelHasInput(_ channel: DatagramChannel) { receive() }

  func channelHasRoom(_ channel: DatagramChannel) {
    advance()
    pump()
  }
}

extension UdpCore: EventHandler {
  /// Its turn of receiving was cut short so that others get theirs.
  func handle(_ readiness: Readiness, tag: UInt32) { receive() }
}
