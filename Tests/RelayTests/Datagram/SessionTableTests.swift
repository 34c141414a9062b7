import Kernel
import Testing

@testable import Relay

/// The table as conversations: what was put in and used, and what it says then.
struct SessionTableTests {
  private typealias Table = SessionTable<String>
  private let origins: [DatagramOrigin]
  private let one = DatagramSource(.v4(1))
  private let two = DatagramSource(.v4(2))

  init() throws {
    // Origins come from datagrams alone: three sent to ourselves.
    let socket = try Descriptor.datagramSocket(for: .ip(.loopback4, port: 0))
    try socket.bind(to: .ip(.loopback4, port: 0))
    try socket.set(.packetInformation4, 1)
    let here = try socket.localAddress()
    var batch = try DatagramBatch(capacity: 3)
    var origins: [DatagramOrigin] = []
    for _ in 0..<3 {
      let sender = try Descriptor.datagramSocket(for: here)
      _ = try sender.send(datagram: [UInt8]().span.octets, to: here)
      _ = try batch.receive(from: socket)
      origins.append(batch.origin(0))
    }
    self.origins = origins
  }

  private func key(_ client: Int, socket: Int = 0) -> Table.Key {
    Table.Key(origin: origins[client], socket: socket)
  }

  private func time(_ seconds: UInt64) -> Instant { Instant(nanoseconds: seconds * 1_000_000_000) }

  @Test("One client has a session for each socket it asks")
  func keys() {
    var table = Table(tracksSources: false)
    let first = table.insert("a", for: key(0), of: one, at: time(1))
    let second = table.insert("b", for: key(0, socket: 1), of: one, at: time(1))
    #expect(table.slot(of: key(0)) == first)
    #expect(table.slot(of: key(0, socket: 1)) == second)
    #expect(table.slot(of: key(1)) == nil)
    table.remove(first)
    #expect(table.slot(of: key(0)) == nil)
    #expect(table[second] == "b")
    #expect(table.count == 1)
  }

  @Test("The oldest session is the one used longest ago, not the one made first")
  func order() {
    var table = Table(tracksSources: false)
    let first = table.insert("a", for: key(0), of: one, at: time(1))
    let second = table.insert("b", for: key(1), of: one, at: time(2))
    #expect(table.oldest()?.slot == first)
    table.use(first, at: time(3))
    #expect(table.oldest()?.slot == second)
    #expect(table.oldest()?.lastUse == time(2))
    table.use(second, at: time(4))
    table.remove(first)
    #expect(table.oldest()?.slot == second)
    table.remove(second)
    #expect(table.oldest() == nil)
  }

  @Test("Each source has an order of its own", arguments: [true, false])
  func sources(fromTheBeginning: Bool) {
    var table = Table(tracksSources: fromTheBeginning)
    let first = table.insert("a", for: key(0), of: one, at: time(1))
    let second = table.insert("b", for: key(1), of: two, at: time(2))
    let third = table.insert("c", for: key(2), of: one, at: time(3))
    table.use(first, at: time(4))
    table.trackSources()
    #expect(table.oldest(of: one)?.slot == third)
    #expect(table.oldest(of: two)?.slot == second)
    table.use(third, at: time(5))
    #expect(table.oldest(of: one)?.slot == first)
    table.remove(second)
    #expect(table.oldest(of: two) == nil)
  }

  @Test("A place is used again")
  func reuse() {
    var table = Table(tracksSources: true)
    let first = table.insert("a", for: key(0), of: one, at: time(1))
    table.remove(first)
    #expect(table.insert("b", for: key(1), of: two, at: time(2)) == first)
    #expect(table[first] == "b")
    #expect(table.elements == ["b"])
  }

  @Test("A source is an IPv4 address, or the network of an IPv6 host")
  func sourceOf() {
    #expect(DatagramSource(.v4(1)) != DatagramSource(.v4(2)))
    #expect(DatagramSource(.v6(1, 1, scope: 0)) == DatagramSource(.v6(1, 2, scope: 0)))
    #expect(DatagramSource(.v6(1, 1, scope: 0)) != DatagramSource(.v6(2, 1, scope: 0)))
    #expect(DatagramSource(.v6(1, 1, scope: 0)) != DatagramSource(.v4(1)))
  }
}
