internal import Kernel

/// Addresses that wait for their attempt: families take turns beginning with the preferred one (RFC
/// 8305 §4 with a First Address Family Count of one); within a family the order given is kept.
struct RaceQueue: Sendable {
  private let limit: Int
  private var waiting = FamilyPair<ArraySlice<IPAddress>>(repeating: [])
  private var taken = FamilyPair<Int>(repeating: 0)
  private var seen: [IPAddress] = []
  private var turn: AddressFamily

  /// At most `limit` addresses of each family are taken in; the rest is never tried.
  init(limit: Int, first: AddressFamily = .v6) {
    self.limit = limit
    turn = first
  }

  var isEmpty: Bool { waiting.v6.isEmpty && waiting.v4.isEmpty }

  func has(_ family: AddressFamily) -> Bool { !waiting[family].isEmpty }

  /// Takes in what was not seen before, by the family of each address itself.
  mutating func add(_ addresses: [IPAddress]) {
    for address in addresses {
      let family: AddressFamily = address.isIPv6 ? .v6 : .v4
      guard taken[family] < limit, !seen.contains(address) else { continue }
      taken[family] += 1
      seen.append(address)
      waiting[family].append(address)
    }
  }

  mutating func next() -> IPAddress? {
    let family = waiting[turn].isEmpty ? turn.other : turn
    guard let address = waiting[family].popFirst() else { return nil }
    turn = family.other
    return address
  }
}
