internal import Configuration
internal import Kernel

/// One thing to tell on standard error, for people and for programs.
struct LogMessage: Hashable, Sendable {
  let level: LogLevel
  /// A word that programs go by; it does not change between versions.
  let event: String
  /// The line for people.
  let text: String
  /// What programs get besides.
  var fields: JSONObject = [:]
  /// True for a line that begins with a place in a file, where nothing may stand before it.
  var isBare = false

  static func error(_ event: String, _ text: String, _ fields: JSONObject = [:]) -> LogMessage {
    LogMessage(level: .error, event: event, text: text, fields: fields)
  }

  static func warning(_ event: String, _ text: String, _ fields: JSONObject = [:]) -> LogMessage {
    LogMessage(level: .warning, event: event, text: text, fields: fields)
  }

  static func info(_ event: String, _ text: String, _ fields: JSONObject = [:]) -> LogMessage {
    LogMessage(level: .info, event: event, text: text, fields: fields)
  }

  static func debug(_ event: String, _ text: String, _ fields: JSONObject = [:]) -> LogMessage {
    LogMessage(level: .debug, event: event, text: text, fields: fields)
  }

  /// The line, without its end.
  func line(json: Bool, at time: WallTime) -> String {
    json ? JSONValue.object(object(at: time)).text : prefix + text
  }

  private var prefix: String {
    if isBare { return "" }
    return switch level {
    case .error: "error: "
    case .warning: "warning: "
    case .info, .debug: ""
    }
  }

  private func object(at time: WallTime) -> JSONObject {
    var object: JSONObject = [
      "time": .string(Timestamp(time).description), "level": .string(level.rawValue),
      "event": .string(event),
    ]
    object += fields
    object.append("message", .string(text))
    return object
  }
}
