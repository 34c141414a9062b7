/// What a socket has been through since it was made or last closed, and what that permits. Pure.
struct UdpLifecycle {
  /// Why an operation is not permitted.
  enum Refusal: String, Error {
    case neverDelegated = "the socket has no delegate and delegate queue"
    case alreadyBound = "the socket is bound already"
    case notBound = "the socket must be bound first"
    case notOpen = "the socket must be bound, or connected, or have sent, before it receives"
    case connecting = "the socket is being connected"
    case connected = "the socket is connected"
    case notConnected = "the socket is connected to nobody: say where the datagram goes"
    case noFamily = "both IPv4 and IPv6 are disabled"
    case closing = "the socket closes after what it still sends"
  }

  enum Connection: Equatable {
    case none
    case connecting
    case connected
  }

  enum Receiving: Equatable {
    case paused
    case once
    case continuous
  }

  private(set) var isOpen = false
  private(set) var isBound = false
  private(set) var connection = Connection.none
  private(set) var isClosing = false
  var receiving = Receiving.paused

  // MARK: What may be done

  func checkBind() throws(Refusal) {
    if isBound { throw .alreadyBound }
    try checkUnconnected()
    if isClosing { throw .closing }
  }

  func checkConnect() throws(Refusal) {
    try checkUnconnected()
    if isClosing { throw .closing }
  }

  func checkGroup() throws(Refusal) {
    if !isBound { throw .notBound }
    try checkUnconnected()
  }

  func checkReceive() throws(Refusal) {
    if !isOpen { throw .notOpen }
  }

  func checkSend(hasDestination: Bool) throws(Refusal) {
    if isClosing { throw .closing }
    switch (connection, hasDestination) {
    case (.none, false): throw .notConnected
    case (.none, true), (.connecting, false), (.connected, false): return
    // Connecting may still fail: whether it has is known when the datagram's turn comes.
    case (.connecting, true): return
    case (.connected, true): throw .connected
    }
  }

  private func checkUnconnected() throws(Refusal) {
    switch connection {
    case .none: return
    case .connecting: throw .connecting
    case .connected: throw .connected
    }
  }

  // MARK: What was done

  mutating func opened() { isOpen = true }
  mutating func bound() { isBound = true }
  mutating func beganConnecting() { connection = .connecting }
  mutating func connectingEnded(_ isConnected: Bool) {
    connection = isConnected ? .connected : .none
  }
  mutating func beganClosing() { isClosing = true }
  mutating func closed() { self = UdpLifecycle() }
}
