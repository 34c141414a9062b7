internal import Kernel

/// The standard streams of a command that does one thing and ends.
enum Console {
  /// Writes a text to standard output.
  static func say(_ text: String) {
    write(text, to: .output)
  }

  /// Writes what is wrong to standard error.
  static func complain(_ report: ErrorReport, json: Bool) {
    var message = report.message
    // The text names the program or the file itself.
    message.isBare = true
    write(message.line(json: json, at: WallTime.now()), to: .error)
  }

  /// Nobody is left to be told when a standard stream is closed.
  private static func write(_ text: String, to stream: StandardStream) {
    try? stream.write(Array((text + "\n").utf8))
  }
}
