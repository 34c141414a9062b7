/// The questions about one name that are out: pure, and shared by all who wait for the name.
///
/// Both families are asked at once, and each answer is passed on as it comes. One exception: that
/// the name does not exist is held back until both say so, when a search may follow.
struct Lookup: Sendable {
  enum Action: Hashable, Sendable {
    case ask(NameQuestion.Scope)
    case answer(AddressFamily, FamilyReply)
  }

  private enum Stage {
    case asking
    case searching
  }

  private let rule: SearchRule
  private var stage = Stage.asking
  /// Families wanted whose answer has not been passed on.
  private var isWanted = FamilyPair(repeating: false)
  /// Families whose answer, that there is no such name, is held back.
  private var isHeld = FamilyPair(repeating: false)
  /// True once a family has answered that there is such a name, or was not answered at all.
  private var mayExist = false

  init(_ rule: SearchRule) { self.rule = rule }

  /// True when nothing is out any more.
  var isDone: Bool { !isWanted.v6 && !isWanted.v4 }

  /// Somebody wants the answers of `families`; what is out already is not asked twice.
  mutating func want(_ families: [AddressFamily]) -> [Action] {
    let new = families.filter { !isWanted[$0] }
    for family in new { isWanted[family] = true }
    switch (stage, rule) {
    case (.searching, _): return []
    case (.asking, .only):
      guard !new.isEmpty else { return [] }
      return search()
    case (.asking, .never), (.asking, .afterwards): return new.map { .ask(.family($0)) }
    }
  }

  /// The servers have changed: what is out is asked again.
  mutating func restart() -> [Action] {
    switch stage {
    case .searching: return [.ask(.search)]
    case .asking:
      let out = AddressFamily.allCases.filter { isWanted[$0] }
      isHeld = FamilyPair(repeating: false)
      return out.map { .ask(.family($0)) }
    }
  }

  mutating func answered(_ family: AddressFamily, _ reply: FamilyReply) -> [Action] {
    switch stage {
    case .searching: return []
    case .asking:
      guard isWanted[family], !isHeld[family] else { return [] }
    }
    if rule == .afterwards, reply == .failed(.notFound) {
      isHeld[family] = true
    } else {
      mayExist = true
      isWanted[family] = false
    }
    let isOut = AddressFamily.allCases.contains { isWanted[$0] && !isHeld[$0] }
    if !isOut, !mayExist { return search() }
    let passed: [Action] = isHeld[family] ? [] : [.answer(family, reply)]
    return isOut ? passed : passed + release()
  }

  /// Both families answer together; one that nobody wanted is worth remembering all the same.
  mutating func searched(_ replies: FamilyPair<FamilyReply>) -> [Action] {
    switch stage {
    case .asking: return []
    case .searching:
      isWanted = FamilyPair(repeating: false)
      return AddressFamily.allCases.map { .answer($0, replies[$0]) }
    }
  }

  private mutating func search() -> [Action] {
    stage = .searching
    return [.ask(.search)]
  }

  private mutating func release() -> [Action] {
    let held = AddressFamily.allCases.filter { isHeld[$0] }
    for family in held {
      isHeld[family] = false
      isWanted[family] = false
    }
    return held.map { .answer($0, .failed(.notFound)) }
  }
}
