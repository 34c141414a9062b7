internal import Foundation
internal import Kernel
internal import Reactor
internal import Sockets

/// The listening sockets of a `GCDAsyncSocket`: one for each family, or a unix socket.
///
/// Guard of the `@unchecked`: all but the constants is used on the loop's thread.
final class ListenSession: @unchecked Sendable {
  /// How often a free port is asked for again because the other family does not have it.
  private static let portTries = 8

  // Constant.
  let home: SocketLoop
  let generation: UInt64
  /// Where it listens, IPv4 first.
  let addresses: [SocketAddress]

  // On the loop's thread.
  private weak var socket: GCDAsyncSocket?
  private var acceptors: [Acceptor] = []
  private let file: FileStatus?

  /// Opens the sockets; nothing is accepted before `start`.
  init(
    _ socket: GCDAsyncSocket, generation: UInt64, at wanted: [SocketAddress], on home: SocketLoop
  ) throws(SocketError) {
    self.home = home
    self.generation = generation
    self.socket = socket
    let opened = try ListenSession.open(wanted)
    addresses = opened.map(\.address)
    file = opened.compactMap(\.file).first
    for entry in opened {
      acceptors.append(
        Acceptor(Descriptor(adopting: entry.number), on: home) { [weak self] accepted in
          self?.accepted(accepted)
        })
    }
  }

  private struct Opened {
    var number: Int32
    var address: SocketAddress
    var file: FileStatus?
  }

  private static func open(_ wanted: [SocketAddress]) throws(SocketError) -> [Opened] {
    var triesLeft = portTries
    while true {
      var opened: [Opened] = []
      do {
        for address in wanted {
          if let entry = try open(address, after: opened) { opened.append(entry) }
        }
        return opened
      } catch {
        for entry in opened { _ = Descriptor(adopting: entry.number) }
        triesLeft -= 1
        // The other family's port is taken: another free one may be free in both.
        guard case .system(.addressInUse, _) = error, wanted.first?.port == 0, opened.count > 0,
          triesLeft > 0
        else { throw error }
      }
    }
  }

  private static func open(
    _ address: SocketAddress, after opened: [Opened]
  ) throws(SocketError) -> Opened? {
    var address = address
    if case .ip(let ip, 0) = address, let port = opened.first?.address.port {
      address = .ip(ip, port: port)
    }
    do {
      let listening = try ListeningSocket(ListenRequest(at: address))
      let (place, file) = (listening.address, listening.file)
      return Opened(number: listening.descriptor().release(), address: place, file: file)
    } catch .system(let error, _)
      where !opened.isEmpty && [.addressFamilyNotSupported, .addressNotAvailable].contains(error)
    {
      // A machine without IPv6.
      return nil
    }
  }

  // MARK: On the loop's thread

  func start() {
    for acceptor in acceptors { acceptor.open() }
  }

  /// Closes the sockets: the ports are free when this returns.
  func close() {
    for acceptor in acceptors { acceptor.close() }
    acceptors = []
    if let file, case .unix(.path(let path))? = addresses.first { file.remove(at: path) }
  }

  private func accepted(_ accepted: consuming Accepted) {
    guard let socket else { return }
    let peer = accepted.peer
    socket.accepted(accepted.descriptor().release(), from: peer, self)
  }

  /// Calls `body` with the number of the listening socket of a family.
  func number(_ isWanted: (SocketAddress) -> Bool) -> Int32? {
    guard let index = addresses.firstIndex(where: isWanted), index < acceptors.count else {
      return nil
    }
    return acceptors[index].withSocket { $0.number }
  }
}
