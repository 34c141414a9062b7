/// A TOML document as plain values, in the order of the source.
struct TOMLNode: Sendable {
  var value: TOMLValue
  var place: TOMLPlace
}

/// A key with its value.
struct TOMLEntry: Sendable {
  var key: String
  var place: TOMLPlace
  var node: TOMLNode
}

/// A place in the source, counted from 1.
struct TOMLPlace: Hashable, Comparable, Sendable {
  var line: Int
  var column: Int

  static func < (left: TOMLPlace, right: TOMLPlace) -> Bool {
    (left.line, left.column) < (right.line, right.column)
  }
}

enum TOMLValue: Sendable {
  case table([TOMLEntry])
  case array([TOMLNode])
  case string(String)
  case integer(Int64)
  case boolean(Bool)
  case float
  case dateTime

  /// What it is, in a sentence.
  var noun: String {
    switch self {
    case .table: "a table"
    case .array: "an array"
    case .string: "a string"
    case .integer: "an integer"
    case .boolean: "a boolean"
    case .float: "a float"
    case .dateTime: "a date or time"
    }
  }
}

/// What the parser said to a document that is not TOML.
struct TOMLSyntaxError: Error {
  var words: String
  var place: TOMLPlace
}
