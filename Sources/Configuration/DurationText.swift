/// Durations as text: `250ms`, `5m`, `1h30m`, `0s`.
public enum DurationText {
  /// The longest duration that is read: a year.
  public static let limit = Duration.seconds(365 * 86_400)

  private static let units: [(name: String, milliseconds: Int64)] = [
    ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1),
  ]

  /// Reads whole numbers with units from the largest to the smallest, each unit at most once.
  ///
  /// Nil when the text is something else; more than `limit` reads as just above it.
  public static func duration(_ text: String) -> Duration? {
    var rest = text[...]
    var total: Int64 = 0
    var next = 0
    repeat {
      let digits = rest.prefix(while: \.isDecimalDigit)
      rest = rest[digits.endIndex...]
      let unit = rest.prefix { !$0.isDecimalDigit }
      rest = rest[unit.endIndex...]
      guard
        !digits.isEmpty,
        let index = units[next...].firstIndex(where: { $0.name == unit })
      else { return nil }
      next = index + 1
      total = saturatingSum(total, digits, units[index].milliseconds)
    } while !rest.isEmpty
    return .milliseconds(total)
  }

  /// `total + number × unit`, held to one millisecond above the limit.
  private static func saturatingSum(_ total: Int64, _ number: Substring, _ unit: Int64) -> Int64 {
    let most = Int64(limit / .milliseconds(1)) + 1
    guard let number = Int64(number) else { return most }
    let (product, overflow) = number.multipliedReportingOverflow(by: unit)
    guard !overflow, product < most else { return most }
    return min(most, total + product)
  }

  /// The shortest text that reads back as `duration`, in whole milliseconds; `0s` for none.
  public static func text(_ duration: Duration) -> String {
    var rest = Int64(clamping: Int128(duration.attoseconds / 1_000_000_000_000_000))
    if rest <= 0 { return "0s" }
    var text = ""
    for unit in units where rest >= unit.milliseconds {
      text += "\(rest / unit.milliseconds)\(unit.name)"
      rest %= unit.milliseconds
    }
    return text
  }
}
