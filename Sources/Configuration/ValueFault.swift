/// What can be wrong with the value of a key.
public enum ValueFault: Hashable, Sendable {
  /// Not a duration.
  case duration
  /// A duration outside the bounds.
  case durationRange(least: Duration, most: Duration)
  /// A duration with a fraction of a second, where the kernel counts seconds.
  case wholeSeconds
  /// Not a whole number.
  case integer
  /// A number outside the bounds.
  case integerRange(least: Int, most: Int)
  /// Neither two ports with a dash between nor `any`.
  case portRange(least: UInt16)
  /// Neither true nor false.
  case boolean
  /// Not one of the words.
  case choice([String])
  /// Not a name for a tunnel.
  case name
  /// A word of the schema that this version does not have yet.
  case later(LaterFeature)

  var code: String {
    switch self {
    case .duration: "duration-syntax"
    case .durationRange: "duration-range"
    case .wholeSeconds: "duration-whole-seconds"
    case .integer: "number-syntax"
    case .integerRange: "number-range"
    case .portRange: "port-range"
    case .boolean: "boolean-syntax"
    case .choice: "choice-unknown"
    case .name: "name-syntax"
    case .later: LaterFeature.code
    }
  }

  func what(_ text: String) -> String {
    switch self {
    case .duration: "\(quoted(text)) is not a duration"
    case .durationRange, .integerRange: "\(quoted(text)) is out of range"
    case .wholeSeconds: "\(quoted(text)) is not a whole number of seconds"
    case .integer: "\(quoted(text)) is not a whole number"
    case .portRange: "\(quoted(text)) is not a range of ports"
    case .boolean: "\(quoted(text)) is neither true nor false"
    case .choice: "\(quoted(text)) is not one of the choices"
    case .name: "\(quoted(text)) is not a tunnel's name"
    case .later(let feature): feature.what
    }
  }

  var expected: String {
    switch self {
    case .duration: "write a number with a unit (ms, s, m, h), as in \"5m\""
    case .durationRange(let least, let most):
      "write a duration from \"\(DurationText.text(least))\" to \"\(DurationText.text(most))\""
    case .wholeSeconds: "the kernel counts this in seconds, as in \"10s\""
    case .integer: "write digits alone, as in \"100\""
    case .integerRange(let least, let most): "write a number from \(least) to \(most)"
    case .portRange(let least):
      "write two ports from \(least) to 65535, as in \"50000-50100\", or \"any\""
    case .boolean: "write true or false"
    case .choice(let words): "write \(alternatives(words))"
    case .name:
      "a name has at most \(TunnelConfiguration.nameLimit) letters, digits, '-', '_' and '.', "
        + "and begins with a letter or digit"
    case .later(let feature): feature.expected
    }
  }
}

/// `"a", "b" or "c"`.
func alternatives(_ words: [String]) -> String {
  let all = words.map { quoted($0) }
  guard let last = all.last, all.count > 1 else { return all.joined() }
  return all.dropLast().joined(separator: ", ") + " or " + last
}
