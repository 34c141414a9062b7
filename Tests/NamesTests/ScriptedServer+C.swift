import Glibc
import Kernel
import Reactor
import Testing

@testable import Names

/// A name server on a loopback port that answers as the test says, on the loop of the test.
final class ScriptedServer: EventHandler {
  enum Answer {
    case addresses([IPAddress], seconds: UInt32)
    /// A CNAME for the name and the addresses of what it points to.
    case alias(String, [IPAddress], seconds: UInt32)
    /// A response code without records: 2 SERVFAIL, 3 NXDOMAIN, 5 REFUSED; 0 for no such record.
    case code(UInt8)
    /// Nothing over UDP but that the answer does not fit; over TCP the addresses.
    case truncated([IPAddress])
    /// No answer at all.
    case silence
  }

  static let noName = Answer.code(3)
  static let noRecord = Answer.code(0)

  let address: SocketAddress
  /// What is answered to a question for a name in lower case.
  var script: (_ name: String, _ family: AddressFamily) -> Answer
  /// Questions that came: `A web.test`, over TCP `tcp A web.test`.
  var questions: [String] = []

  /// The loop holds its handlers.
  private unowned let loop: EventLoop
  private let datagrams: Descriptor
  private let listener: Descriptor
  private var connections: [UInt32: Connection] = [:]
  private var lastTag: UInt32 = 1

  private final class Connection {
    let socket: Descriptor
    var registration = Registration.none
    var bytes: [UInt8] = []
    init(_ socket: consuming Descriptor) { self.socket = socket }

    /// The next query that has come whole, behind its length.
    func nextQuery() -> [UInt8]? {
      guard bytes.count >= 2 else { return nil }
      let end = 2 + (Int(bytes[0]) << 8 | Int(bytes[1]))
      guard bytes.count >= end else { return nil }
      defer { bytes.removeFirst(end) }
      return Array(bytes[2..<end])
    }
  }

  init(
    on loop: EventLoop, _ script: @escaping (String, AddressFamily) -> Answer
  ) throws {
    self.loop = loop
    self.script = script
    var attempt = 0
    while true {
      let flags = SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
      let type = Int32(SOCK_DGRAM.rawValue) | Int32(flags)
      let udp = Descriptor(adopting: socket(AF_INET, type, 0))
      try udp.bind(to: .ip(.loopback4, port: 0))
      let address = try udp.localAddress()
      let tcp = try Descriptor.streamSocket(for: address)
      do {
        try tcp.bind(to: address)
      } catch {
        attempt += 1
        if attempt < 100 { continue }
        throw error
      }
      try tcp.listen(backlog: 16)
      self.address = address
      datagrams = consume udp
      listener = consume tcp
      break
    }
    _ = try loop.watch(datagrams, self, tag: 0, for: [.readable])
    _ = try loop.watch(listener, self, tag: 1, for: [.readable])
  }

  func handle(_ readiness: Readiness, tag: UInt32) {
    switch tag {
    case 0: receiveDatagrams()
    case 1: accept()
    default: receiveStream(tag)
    }
  }

  private func receiveDatagrams() {
    var bytes = [UInt8](repeating: 0, count: 512)
    while true {
      var peer = sockaddr_in()
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let count = unsafe withUnsafeMutablePointer(to: &peer) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe recvfrom(datagrams.number, &bytes, bytes.count, 0, $0, &length)
        }
      }
      guard count > 0 else { return }
      guard let reply = reply(to: Array(bytes.prefix(count)), overTCP: false) else { continue }
      _ = unsafe withUnsafePointer(to: &peer) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe sendto(datagrams.number, reply, reply.count, 0, $0, length)
        }
      }
    }
  }

  private func accept() {
    guard let accepted = try? listener.accept() else { return }
    lastTag += 1
    let connection = Connection(accepted.descriptor())
    connections[lastTag] = connection
    do {
      connection.registration = try loop.watch(
        connection.socket, self, tag: lastTag, for: [.readable])
    } catch {
      Issue.record("a connection cannot be watched: \(error)")
    }
  }

  private func receiveStream(_ tag: UInt32) {
    guard let connection = connections[tag] else { return }
    var bytes = [UInt8](repeating: 0, count: 512)
    let transfer = try? unsafe connection.socket.receive(into: &bytes, count: bytes.count)
    guard case .moved(let count)? = transfer else {
      loop.forget(connection.registration)
      connections[tag] = nil
      return
    }
    connection.bytes += bytes.prefix(count)
    while let query = connection.nextQuery() {
      guard let reply = reply(to: query, overTCP: true) else { continue }
      let framed = [UInt8(reply.count >> 8), UInt8(reply.count & 255)] + reply
      _ = try? unsafe connection.socket.send(framed, count: framed.count)
    }
  }

  private func reply(to query: [UInt8], overTCP: Bool) -> [UInt8]? {
    guard let message = DNSMessage(query) else { return nil }
    let type = message.family == .v4 ? "A" : "AAAA"
    questions.append("\(overTCP ? "tcp " : "")\(type) \(message.name)")
    switch script(message.name, message.family) {
    case .addresses(let addresses, let seconds):
      return message.reply(records: message.records(addresses, seconds))
    case .alias(let target, let addresses, let seconds):
      let alias = message.record(type: 5, seconds, DNSMessage.encoded(target))
      return message.reply(records: [alias] + message.records(addresses, seconds, of: target))
    case .code(let code): return message.reply(code: code)
    case .truncated(let addresses):
      return overTCP
        ? message.reply(records: message.records(addresses, 60)) : message.reply(isTruncated: true)
    case .silence: return nil
    }
  }
}

/// A question as it came in, and replies to it (RFC 1035 §4).
struct DNSMessage {
  let name: String
  let family: AddressFamily
  private let head: [UInt8]
  private let question: [UInt8]

  init?(_ query: [UInt8]) {
    guard query.count > 12 else { return nil }
    var labels: [String] = []
    var position = 12
    while position < query.count, query[position] != 0 {
      let end = position + 1 + Int(query[position])
      guard end < query.count else { return nil }
      labels.append(String(decoding: query[(position + 1)..<end], as: UTF8.self))
      position = end
    }
    guard position + 5 <= query.count else { return nil }
    name = labels.joined(separator: ".").lowercased()
    family = query[position + 2] == 1 ? .v4 : .v6
    head = Array(query[0..<2])
    question = Array(query[12..<(position + 5)])
  }

  func reply(code: UInt8 = 0, isTruncated: Bool = false, records: [[UInt8]] = []) -> [UInt8] {
    let flags: [UInt8] = [isTruncated ? 0x87 : 0x85, 0x80 | code]
    let counts: [UInt8] = [0, 1, UInt8(records.count >> 8), UInt8(records.count & 255), 0, 0, 0, 0]
    return head + flags + counts + question + records.joined()
  }

  func records(_ addresses: [IPAddress], _ seconds: UInt32, of owner: String? = nil) -> [[UInt8]] {
    addresses.map { address in
      switch address {
      case .v4(let bits): record(type: 1, seconds, DNSMessage.bytes(bits), of: owner)
      case .v6(let upper, let lower, _):
        record(type: 28, seconds, DNSMessage.bytes(upper) + DNSMessage.bytes(lower), of: owner)
      }
    }
  }

  func record(
    type: UInt8, _ seconds: UInt32, _ data: [UInt8], of owner: String? = nil
  ) -> [UInt8] {
    let name = owner.map(DNSMessage.encoded) ?? [0xc0, 12]
    return name + [0, type, 0, 1] + DNSMessage.bytes(seconds)
      + [UInt8(data.count >> 8), UInt8(data.count & 255)] + data
  }

  static func encoded(_ name: String) -> [UInt8] {
    name.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]
  }

  private static func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    (0..<(Number.bitWidth / 8)).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }
}
