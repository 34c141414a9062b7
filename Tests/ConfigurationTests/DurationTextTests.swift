import TestSupport
import Testing

@testable import Configuration

@Suite struct DurationTextTests {
  static let accepted: [(String, Duration)] = [
    ("0s", .zero), ("0ms", .zero), ("250ms", .milliseconds(250)), ("5s", .seconds(5)),
    ("5m", .seconds(300)), ("1h30m", .seconds(5400)), ("1h2m3s4ms", .milliseconds(3_723_004)),
    ("90m", .seconds(5400)), ("005s", .seconds(5)), ("8760h", DurationText.limit),
  ]

  @Test("A duration is numbers with units, the largest first", arguments: accepted)
  func reads(_ text: String, _ duration: Duration) {
    #expect(DurationText.duration(text) == duration)
  }

  @Test(
    "Everything else is no duration",
    arguments: [
      "", "5", "s", "5 m", "5m ", "5minutes", "5 minutes", "-5s", "+5s", "1.5s", "5s1m", "5s5s",
      "5M", "1d", "5m\0", "٥s", "0x5s", "5mms",
    ])
  func refuses(_ text: String) {
    #expect(DurationText.duration(text) == nil)
  }

  @Test(
    "A number too large for any range reads as more than the limit and does not overflow",
    arguments: [
      "99999999999999999999h", "9223372036854775807h", "9223372036854775807ms",
      "8760h9223372036854775807m", "31536000001ms",
    ])
  func saturates(_ text: String) throws {
    let duration = try #require(DurationText.duration(text))
    #expect(duration > DurationText.limit)
  }

  @Test("A duration prints in the shortest way")
  func prints() {
    #expect(DurationText.text(.seconds(5400)) == "1h30m")
    #expect(DurationText.text(.milliseconds(1500)) == "1s500ms")
    #expect(DurationText.text(.zero) == "0s")
    #expect(DurationText.text(.seconds(-1)) == "0s")
    #expect(DurationText.text(.nanoseconds(999)) == "0s")
  }

  @Test("What prints reads back the same", arguments: seeds)
  func roundTrip(_ seed: UInt64) {
    var random = Seeded(seed)
    for _ in 0..<200 {
      let duration = Duration.milliseconds(
        Int64.random(in: 0...31_536_000_000, using: &random)
          >> Int64.random(
            in: 0...30, using: &random))
      #expect(DurationText.duration(DurationText.text(duration)) == duration)
    }
  }
}
