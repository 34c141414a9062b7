/// The family of a side of the gateway.
public enum WireFamily: Int, Sendable {
  /// IPv4, `1` in RFC 2428.
  case v4 = 1
  /// IPv6, `2` in RFC 2428.
  case v6 = 2
}

/// An address of this gateway as it writes it into a control line. It reads none: of what peers
/// write only ports are used.
public struct WireAddress: Hashable, Sendable {
  /// The family.
  public let family: WireFamily
  /// `192.0.2.1` or `2001:db8::1`.
  public let text: String

  /// Makes an address from its text, without a scope.
  public init(_ family: WireFamily, _ text: String) {
    self.family = family
    self.text = text
  }

  private func sixNumbers(_ port: UInt16) -> String {
    let numbers = text.split(separator: ".").joined(separator: ",")
    return "\(numbers),\(port >> 8),\(port & 0xff)"
  }

  /// The answer to PASV.
  func reply227(_ port: UInt16) -> String { "227 Entering Passive Mode (\(sixNumbers(port)))." }

  /// The answer to EPSV.
  static func reply229(_ port: UInt16) -> String {
    "229 Entering Extended Passive Mode (|||\(port)|)"
  }

  func port(_ port: UInt16) -> String { "PORT \(sixNumbers(port))" }

  func eprt(_ port: UInt16) -> String { "EPRT |\(family.rawValue)|\(text)|\(port)|" }
}

/// Reads what peers write about data ports, as tolerantly as clients and servers in use need.
enum DataForms {
  /// The port of `h1,h2,h3,h4,p1,p2`, wherever in the text the six numbers stand (RFC 1123,
  /// 4.1.2.6).
  static func sixNumbers(in text: some Collection<UInt8>) -> UInt16? {
    let bytes = Array(text)
    var index = 0
    while index < bytes.count {
      guard decimalDigit(bytes[index]) != nil else {
        index += 1
        continue
      }
      if let port = sixNumbers(bytes, from: index) { return port }
      while index < bytes.count, decimalDigit(bytes[index]) != nil { index += 1 }
    }
    return nil
  }

  private static func sixNumbers(_ bytes: [UInt8], from start: Int) -> UInt16? {
    var numbers: [Int] = []
    var index = start
    while true {
      var value = 0
      let first = index
      while index < bytes.count, let digit = decimalDigit(bytes[index]) {
        value = value * 10 + digit
        index += 1
        if value > 255 { return nil }
      }
      if index == first { return nil }
      numbers.append(value)
      if numbers.count == 6 { return UInt16(numbers[4] << 8 | numbers[5]) }
      while index < bytes.count, bytes[index] == ControlText.space { index += 1 }
      guard index < bytes.count, bytes[index] == UInt8(ascii: ",") else { return nil }
      index += 1
      while index < bytes.count, bytes[index] == ControlText.space { index += 1 }
    }
  }

  /// The port of a 229 reply: `(|||port|)` with any delimiter, with a delimiter too few, or with
  /// the family filled in.
  static func extendedPassive(in text: some Collection<UInt8>) -> UInt16? {
    let bytes = Array(text)
    guard let open = bytes.firstIndex(of: UInt8(ascii: "(")), open + 1 < bytes.count else {
      return nil
    }
    let inside = bytes[(open + 1)...].prefix { $0 != UInt8(ascii: ")") }
    guard let delimiter = inside.first, isDelimiter(delimiter) else { return nil }
    let parts = inside.split(separator: delimiter, omittingEmptySubsequences: false)
    guard parts.count >= 3 else { return nil }
    return parts.last { !$0.isEmpty }.flatMap { port($0) }
  }

  /// The family and the port of EPRT's argument. A mapped address is an IPv4 one.
  static func extendedPort(_ argument: some Collection<UInt8>) -> (family: Int, port: UInt16)? {
    guard let delimiter = argument.first, isDelimiter(delimiter) else { return nil }
    let parts = Array(argument).split(separator: delimiter, omittingEmptySubsequences: false)
    guard parts.count == 4 || parts.count == 5 else { return nil }
    guard let family = port(parts[1]), !parts[2].isEmpty, let port = port(parts[3]) else {
      return nil
    }
    let address = String(decoding: parts[2], as: UTF8.self).lowercased()
    let isMapped = family == 2 && address.hasPrefix("::ffff:") && address.contains(".")
    return (isMapped ? WireFamily.v4.rawValue : Int(family), port)
  }

  private static func isDelimiter(_ byte: UInt8) -> Bool {
    (33...126).contains(byte) && decimalDigit(byte) == nil
  }

  private static func port(_ digits: some Collection<UInt8>) -> UInt16? {
    guard (1...5).contains(digits.count) else { return nil }
    var value = 0
    for byte in digits {
      guard let digit = decimalDigit(byte) else { return nil }
      value = value * 10 + digit
    }
    return UInt16(exactly: value)
  }
}
