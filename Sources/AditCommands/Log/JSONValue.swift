/// A value for programs; objects keep the order of their keys.
indirect enum JSONValue: Hashable, Sendable {
  case null
  case boolean(Bool)
  case integer(Int)
  case string(String)
  case array([JSONValue])
  case object(JSONObject)

  /// A string, or null when there is none.
  init(_ text: String?) {
    self = text.map { .string($0) } ?? .null
  }

  /// A number that grows without sign; beyond `Int.max` it stays there.
  init(_ number: UInt64) {
    self = .integer(Int(clamping: number))
  }
}

/// Keys and values in the order written.
struct JSONObject: Hashable, Sendable, ExpressibleByDictionaryLiteral {
  struct Member: Hashable, Sendable {
    let key: String
    let value: JSONValue
  }

  private(set) var members: [Member] = []

  init(dictionaryLiteral elements: (String, JSONValue)...) {
    members = elements.map { Member(key: $0.0, value: $0.1) }
  }

  /// Adds a member at the end.
  mutating func append(_ key: String, _ value: JSONValue) {
    members.append(Member(key: key, value: value))
  }

  /// Adds another object's members at the end.
  static func += (object: inout JSONObject, other: JSONObject) {
    object.members += other.members
  }
}

extension JSONValue {
  /// The value on one line.
  var text: String {
    var bytes: [UInt8] = []
    write(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Writes the value on one line, without a line end (RFC 8259).
  func write(to bytes: inout [UInt8]) {
    switch self {
    case .null: bytes += "null".utf8
    case .boolean(let value): bytes += (value ? "true" : "false").utf8
    case .integer(let number): bytes += String(number).utf8
    case .string(let text): JSONValue.write(text, to: &bytes)
    case .array(let values):
      bytes.append(UInt8(ascii: "["))
      for (index, value) in values.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        value.write(to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let object): object.write(to: &bytes)
    }
  }

  private static let hexadecimal = Array("0123456789abcdef".utf8)

  fileprivate static func write(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      case 0x0a: bytes += "\\n".utf8
      case 0x09: bytes += "\\t".utf8
      case 0..<0x20, 0x7f:
        bytes += "\\u00".utf8
        bytes.append(hexadecimal[Int(byte >> 4)])
        bytes.append(hexadecimal[Int(byte & 15)])
      case _: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}

extension JSONObject {
  func write(to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "{"))
    for (index, member) in members.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      JSONValue.write(member.key, to: &bytes)
      bytes.append(UInt8(ascii: ":"))
      member.value.write(to: &bytes)
    }
    bytes.append(UInt8(ascii: "}"))
  }
}
