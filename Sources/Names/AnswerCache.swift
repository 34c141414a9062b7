internal import Kernel

/// What is remembered of names: pure, the time comes with each question.
struct AnswerCache {
  /// What is known when somebody asks.
  enum Finding: Hashable {
    /// An answer that holds.
    case fresh(FamilyAnswer.Content)
    /// An expired answer that holds while DNS is down; `isDue` when DNS should be asked again.
    case stale(FamilyAnswer.Content, isDue: Bool)
    /// Nothing that may be used.
    case missing
  }

  fileprivate struct Slot {
    var content: FamilyAnswer.Content
    var learned: Instant
    var expires: Instant
  }

  fileprivate struct Good {
    var addresses: [IPAddress]
    var usable: Instant
  }

  fileprivate struct Entry {
    var latest = FamilyPair<Slot?>(repeating: nil)
    var good = FamilyPair<Good?>(repeating: nil)
    var lastUse: Instant
  }

  private let settings: ResolverSettings
  private var entries: [String: Entry] = [:]
  /// Names that made room for others.
  private(set) var evictions: UInt64 = 0

  init(_ settings: ResolverSettings) { self.settings = settings }

  /// Names remembered.
  var count: Int { entries.count }

  mutating func find(_ key: String, _ family: AddressFamily, _ now: Instant) -> Finding {
    guard let entry = entries[key], let slot = entry.latest[family] else { return .missing }
    entries[key]?.lastUse = now
    if let addresses = entry.staleAddresses(family, now), let failure = slot.outage {
      guard now < slot.learned + settings.outageLife else { return .missing }
      return .stale(.stale(addresses, failure), isDue: now >= slot.expires)
    }
    return now < slot.expires ? .fresh(slot.content) : .missing
  }

  /// Remembers a reply and returns what it amounts to: an outage brings the last good answer back.
  mutating func store(
    _ key: String, _ family: AddressFamily, _ reply: FamilyReply, _ now: Instant
  ) -> FamilyAnswer.Content {
    makeRoom(for: key)
    var entry = entries[key] ?? Entry(lastUse: now)
    entry.lastUse = now
    let content = content(of: reply)
    let expires = now + life(of: reply)
    entry.latest[family] = Slot(content: content, learned: now, expires: expires)
    switch reply {
    case .addresses(let addresses, _):
      entry.good[family] = Good(addresses: addresses, usable: expires + settings.staleLife)
    case .failed(let failure):
      if failure.isAnswer { entry.good[family] = nil }
    }
    entries[key] = entry
    if let failure = entry.latest[family]?.outage,
      let addresses = entry.staleAddresses(family, now)
    {
      return .stale(addresses, failure)
    }
    return content
  }

  /// What is known of a name led nowhere: it holds only until it is `forgetInterval` old.
  mutating func forget(_ key: String) {
    for family in AddressFamily.allCases {
      guard let slot = entries[key]?.latest[family] else { continue }
      let expires = min(slot.expires, slot.learned + settings.forgetInterval)
      entries[key]?.latest[family]?.expires = expires
    }
  }

  /// Other servers may say other things: nothing holds any more, but for an outage.
  mutating func expireAll(_ now: Instant) {
    for key in entries.keys {
      for family in AddressFamily.allCases {
        guard let slot = entries[key]?.latest[family] else { continue }
        entries[key]?.latest[family]?.expires = min(slot.expires, now)
        if slot.outage != nil { entries[key]?.latest[family] = nil }
      }
    }
  }

  private mutating func makeRoom(for key: String) {
    guard entries[key] == nil, entries.count >= settings.capacity else { return }
    guard let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) else { return }
    entries[oldest.key] = nil
    evictions += 1
  }

  private func content(of reply: FamilyReply) -> FamilyAnswer.Content {
    switch reply {
    case .addresses(let addresses, _): .addresses(addresses)
    case .failed(let failure): .failure(failure)
    }
  }

  private func life(of reply: FamilyReply) -> Duration {
    switch reply {
    case .addresses(_, seconds: 0): settings.defaultLife
    case .addresses(_, let seconds):
      min(max(.seconds(Int64(seconds)), settings.leastLife), settings.greatestLife)
    case .failed(let failure): failure.isAnswer ? settings.negativeLife : settings.failureLife
    }
  }
}

extension AnswerCache.Slot {
  /// The failure of DNS itself that was learned last, if one was.
  fileprivate var outage: ResolutionFailure? {
    switch content {
    case .failure(let failure): failure.isOutage ? failure : nil
    case .addresses, .stale: nil
    }
  }
}

extension AnswerCache.Entry {
  fileprivate func staleAddresses(_ family: AddressFamily, _ now: Instant) -> [IPAddress]? {
    guard let good = good[family], now < good.usable else { return nil }
    return good.addresses
  }
}
