internal import Kernel

/// A point in time as RFC 3339 writes it, in UTC with milliseconds: `2026-01-31T08:15:00.123Z`.
struct Timestamp: Hashable, CustomStringConvertible {
  let milliseconds: UInt64

  init(_ time: WallTime) {
    milliseconds = time.nanoseconds / 1_000_000
  }

  var description: String {
    var bytes: [UInt8] = []
    write(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  func write(to bytes: inout [UInt8]) {
    let (year, month, day) = Timestamp.date(Int(milliseconds / 86_400_000))
    let rest = Int(milliseconds % 86_400_000)
    Timestamp.write(year, digits: 4, to: &bytes, then: "-")
    Timestamp.write(month, digits: 2, to: &bytes, then: "-")
    Timestamp.write(day, digits: 2, to: &bytes, then: "T")
    Timestamp.write(rest / 3_600_000, digits: 2, to: &bytes, then: ":")
    Timestamp.write(rest / 60_000 % 60, digits: 2, to: &bytes, then: ":")
    Timestamp.write(rest / 1000 % 60, digits: 2, to: &bytes, then: ".")
    Timestamp.write(rest % 1000, digits: 3, to: &bytes, then: "Z")
  }

  /// Writes `number` with zeroes in front and one character behind.
  private static func write(
    _ number: Int, digits: Int, to bytes: inout [UInt8], then mark: Unicode.Scalar
  ) {
    var divisor = 1
    for _ in 1..<digits { divisor *= 10 }
    while divisor > 0 {
      bytes.append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
      divisor /= 10
    }
    bytes.append(UInt8(ascii: mark))
  }

  /// Day 0 is 1970-01-01. Years are counted from March, so that the leap day is the last of one:
  /// then a month's first day is 153 days for each five months, and 400 years are 146 097 days.
  private static func date(_ day: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = day + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
  }
}
