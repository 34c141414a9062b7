internal import Kernel

/// Tells the service manager how far we are: sd_notify(3).
struct ServiceState: Sendable {
  private let name: UnixName?

  /// Takes `NOTIFY_SOCKET` out of the environment. Without it nothing is told.
  static func take() -> ServiceState {
    let text = Environment.value("NOTIFY_SOCKET")
    Environment.remove("NOTIFY_SOCKET")
    return ServiceState(socket: text)
  }

  /// A path, or `@` and an abstract name; anything else is nobody.
  init(socket text: String?) {
    guard let text, text.count > 1, text.utf8.count <= UnixName.pathLimit else {
      name = nil
      return
    }
    switch text.first {
    case "/": name = .path(text)
    case "@": name = .abstract(String(text.dropFirst()))
    case _: name = nil
    }
  }

  /// All listeners accept.
  func ready(status: String) throws(Errno) { try send("READY=1\nSTATUS=\(status)") }

  /// The configuration is being read again; `ready` follows.
  func reloading(at now: Instant) throws(Errno) {
    try send("RELOADING=1\nMONOTONIC_USEC=\(now.nanoseconds / 1000)")
  }

  /// The end has begun.
  func stopping(status: String) throws(Errno) { try send("STOPPING=1\nSTATUS=\(status)") }

  private func send(_ text: String) throws(Errno) {
    guard let name else { return }
    try UnixDatagram.send(text, to: name)
  }
}
