import Kernel
import Testing

@testable import Names

/// Conversations with the questions about one name.
@Suite struct LookupTests {
  static let good = FamilyReply.addresses([.loopback4], seconds: 60)
  static let none = FamilyReply.failed(.noAddress)
  static let missing = FamilyReply.failed(.notFound)
  static let down = FamilyReply.failed(.timedOut)
  static let both = FamilyPair(repeating: good)

  typealias This = LookupTests

  @Test func bothFamiliesAreAskedForOnce() {
    var lookup = Lookup(.never)
    #expect(lookup.want([.v6, .v4]) == [.ask(.family(.v6)), .ask(.family(.v4))])
    #expect(lookup.want([.v6, .v4]) == [])
    #expect(lookup.answered(.v4, This.good) == [.answer(.v4, This.good)])
    #expect(!lookup.isDone)
    #expect(lookup.answered(.v6, This.missing) == [.answer(.v6, This.missing)])
    #expect(lookup.isDone)
  }

  @Test func aFamilyThatWasAnsweredIsAskedForAgainWhenWantedAgain() {
    var lookup = Lookup(.never)
    _ = lookup.want([.v6, .v4])
    _ = lookup.answered(.v4, This.good)
    #expect(lookup.want([.v4]) == [.ask(.family(.v4))])
  }

  @Test func anAnswerThatNobodyWaitsForIsDropped() {
    var lookup = Lookup(.never)
    _ = lookup.want([.v4])
    #expect(lookup.answered(.v6, This.good) == [])
    #expect(lookup.searched(This.both) == [])
    _ = lookup.answered(.v4, This.good)
    #expect(lookup.answered(.v4, This.good) == [])
  }

  @Test func theSearchFollowsWhenNeitherFamilyKnowsTheName() {
    var lookup = Lookup(.afterwards)
    _ = lookup.want([.v6, .v4])
    #expect(lookup.answered(.v6, This.missing) == [])
    #expect(lookup.answered(.v4, This.missing) == [.ask(.search)])
    #expect(!lookup.isDone)
    #expect(lookup.answered(.v4, This.good) == [])
    #expect(lookup.searched(This.both) == [.answer(.v6, This.good), .answer(.v4, This.good)])
    #expect(lookup.isDone)
  }

  @Test(arguments: [good, none, down])
  func noSearchFollowsWhenAFamilySaysAnythingElse(other: FamilyReply) {
    var lookup = Lookup(.afterwards)
    _ = lookup.want([.v6, .v4])
    #expect(lookup.answered(.v6, This.missing) == [])
    #expect(
      lookup.answered(.v4, other) == [.answer(.v4, other), .answer(.v6, This.missing)])
    #expect(lookup.isDone)
  }

  @Test func aMissingNameComesAtOnceWhenTheOtherFamilyHasAnswered() {
    var lookup = Lookup(.afterwards)
    _ = lookup.want([.v6, .v4])
    _ = lookup.answered(.v4, This.good)
    #expect(lookup.answered(.v6, This.missing) == [.answer(.v6, This.missing)])
  }

  @Test func theSearchAloneAsksOnce() {
    var lookup = Lookup(.only)
    #expect(lookup.want([.v6]) == [.ask(.search)])
    #expect(lookup.want([.v4]) == [])
    #expect(lookup.searched(This.both).count == 2)
    #expect(lookup.isDone)
  }

  @Test func newServersAreAskedWhatIsOut() {
    var lookup = Lookup(.afterwards)
    _ = lookup.want([.v6, .v4])
    _ = lookup.answered(.v6, This.missing)
    #expect(lookup.restart() == [.ask(.family(.v6)), .ask(.family(.v4))])
    _ = lookup.answered(.v4, This.good)
    #expect(lookup.restart() == [.ask(.family(.v6))])
  }

  @Test func newServersAreSearchedWhenTheSearchIsOut() {
    var lookup = Lookup(.only)
    _ = lookup.want([.v6, .v4])
    #expect(lookup.restart() == [.ask(.search)])
  }

  @Test func theRuleFollowsTheNamesDots() throws {
    let short = try #require(DomainName("db"))
    let long = try #require(DomainName("db.site"))
    let absolute = try #require(DomainName("db."))
    #expect(SearchRule(short, hasDomains: true, leastDots: 1) == .only)
    #expect(SearchRule(long, hasDomains: true, leastDots: 1) == .afterwards)
    #expect(SearchRule(long, hasDomains: true, leastDots: 2) == .only)
    #expect(SearchRule(absolute, hasDomains: true, leastDots: 1) == .never)
    #expect(SearchRule(short, hasDomains: false, leastDots: 1) == .never)
  }

  @Test func everyFailureHasItsSentence() {
    let failures: [ResolutionFailure] = [
      .notFound, .noAddress, .serverFailure, .timedOut, .refused, .badName, .cancelled,
      .outOfResources(nil), .outOfResources(.tooManyOpenFiles),
    ]
    #expect(Set(failures.map(\.description)).count == failures.count)
  }
}
