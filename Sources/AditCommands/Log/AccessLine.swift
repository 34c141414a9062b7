internal import Kernel
internal import Relay

/// How an ended flow stands in the access log.
enum AccessFormat: Hashable, Sendable {
  /// Fields with a space between, for people, awk and grep.
  case text
  /// One JSON object.
  case json

  /// Writes the flow's line with its end.
  func write(_ record: FlowRecord, to bytes: inout [UInt8]) {
    switch self {
    case .text: AccessLine(record: record).writeText(to: &bytes)
    case .json: AccessLine(record: record).json.write(to: &bytes)
    }
    bytes.append(0x0a)
  }
}

/// One line of the access log.
///
/// Text: time of the end, flow, client, listener, local address, target, bytes up, bytes down,
/// seconds, how it ended, and what else there is to say. What is not known is `-`.
struct AccessLine {
  let record: FlowRecord

  private static let space = UInt8(ascii: " ")

  func writeText(to bytes: inout [UInt8]) {
    ended.write(to: &bytes)
    for word in [
      record.name, record.client.description, record.listener?.description ?? "-",
      record.local?.description ?? "-", record.target?.description ?? "-",
      "\(record.bytesUp)", "\(record.bytesDown)", seconds, record.end?.word ?? "-",
    ] {
      bytes.append(AccessLine.space)
      AccessLine.write(word: word, to: &bytes)
    }
    if let error {
      bytes += " error=".utf8
      JSONValue.string(error).write(to: &bytes)
    }
    if record.traffic != .tcp { bytes += " protocol=\(record.traffic.rawValue)".utf8 }
    if record.bytesLost > 0 { bytes += " lost=\(record.bytesLost)".utf8 }
    if record.resetNotExpressible { bytes += " reset-not-expressible".utf8 }
  }

  var json: JSONObject {
    var object: JSONObject = [
      "time": .string(ended.description),
      "flow": .string(record.name),
      "protocol": .string(record.traffic.rawValue),
      "tunnel": .string(record.tunnel),
      "number": JSONValue(record.number),
      "client": .string(record.client.description),
      "listener": JSONValue(record.listener?.description),
      "local": JSONValue(record.local?.description),
      "target": JSONValue(record.target?.description),
      "started": .string(Timestamp(record.started).description),
      "duration-ms": JSONValue(record.duration.wholeNanoseconds / 1_000_000),
      "bytes-up": JSONValue(record.bytesUp),
      "bytes-down": JSONValue(record.bytesDown),
      "bytes-lost": JSONValue(record.bytesLost),
      "end": JSONValue(record.end?.word),
      "error": JSONValue(error),
    ]
    object.append("reset-not-expressible", .boolean(record.resetNotExpressible))
    return object
  }

  private var ended: Timestamp {
    let duration = record.duration.wholeNanoseconds
    return Timestamp(WallTime(nanoseconds: record.started.nanoseconds &+ duration))
  }

  /// `12.034`.
  private var seconds: String {
    let milliseconds = record.duration.wholeNanoseconds / 1_000_000
    let fraction = String(milliseconds % 1000)
    let zeroes = String(repeating: "0", count: 3 - fraction.count)
    return "\(milliseconds / 1000).\(zeroes)\(fraction)"
  }

  private var error: String? {
    switch record.end {
    case .targetUnreachable(let failure): failure.description
    case .noResources(let error): error.description
    case .completed, .clientReset, .targetReset, .clientLeft, .halfClosedIdle, .idle, .cutOff,
      .stopped, .evicted, nil:
      nil
    }
  }

  /// A unix socket's path may have spaces and line ends; here they would end the field.
  private static func write(word: String, to bytes: inout [UInt8]) {
    for byte in word.utf8 {
      if byte > 0x20, byte != 0x7f, byte != UInt8(ascii: "\\") {
        bytes.append(byte)
      } else {
        let digits = String(byte, radix: 16)
        bytes += "\\x\(digits.count < 2 ? "0" : "")\(digits)".utf8
      }
    }
  }
}
