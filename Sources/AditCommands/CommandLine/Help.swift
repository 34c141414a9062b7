/// The text of `adit help` and `--help`.
enum Help {
  /// The widest line.
  static let width = 79

  /// About a verb, or about all of them.
  static func text(for verb: Verb?) -> String {
    switch verb {
    case nil: overview
    case .forward: forward
    case .check: check
    case .doctor: doctor
    case .help: help
    }
  }

  private static var overview: String {
    let verbs = Verb.allCases.map { verb in
      let name = verb.rawValue
      return "  " + name + String(repeating: " ", count: 9 - name.count) + verb.summary
    }
    return """
      usage: adit VERB [ARGUMENT ...]

      Adit carries TCP connections between networks that cannot reach each other.

      \(verbs.joined(separator: "\n"))

      adit help VERB explains one; adit --version tells the version.
      """
  }

  private static var forward: String {
    """
    usage: adit forward LISTEN TARGET [--option ...]
           adit forward [--option ...] -L LISTEN=TARGET [--option ...] [-L ...]
           adit forward --config FILE [--option ...]

    Runs tunnels in the foreground: what connects to LISTEN is carried to TARGET.

      LISTEN  [ADDRESS:]PORT, unix:PATH, unix:@NAME or fd:NAME. Without ADDRESS
              only this machine can connect; any:PORT is every address and port 0
              a free one. ftp:// in front carries FTP with its data connections.
      TARGET  HOST:PORT[,HOST:PORT...] or unix:PATH; the first that answers.

    \(paragraph(halfClose))

    \(paragraph(signals))
    \(options(ForwardOption.all))
    """
  }

  /// Stands in the manual too.
  static let halfClose =
    "An end of stream from one side does not end the other: it is passed on, and the other"
    + " direction goes on until it ends by itself. (Small relays often close both at once and cut"
    + " answers off.) --half-close=false gives that behaviour to whoever needs it."

  private static let signals =
    "SIGINT and SIGTERM end it when no flow is left or --drain-timeout is over; a second one ends"
    + " it at once. SIGHUP reads FILE again and touches only what changed."

  private static var check: String {
    """
    usage: adit check FILE [--json]

    Says everything that is wrong in a configuration file, with line and column, or
    what is in it. The exit code is 2 when something is wrong.
    \(options(OptionDescription.common))
    """
  }

  private static var doctor: String {
    """
    usage: adit doctor [--json]

    Says what this machine has, what it could have more of and what it lacks, what
    that means and what to do. The exit code is 1 when something is missing.
    \(options(OptionDescription.common))
    """
  }

  private static var help: String {
    """
    usage: adit help [VERB]

    Explains a verb: \(Verb.words).
    """
  }

  // MARK: Layout

  private static func options(_ options: [OptionDescription]) -> String {
    OptionDescription.Group.allCases.map { group in
      let entries = options.filter { $0.group == group }.map { entry($0) }
      return entries.isEmpty ? "" : "\n\(group.rawValue):\n\(entries.joined(separator: "\n"))\n"
    }.joined().trimmingLastLineEnd
  }

  private static func entry(_ option: OptionDescription) -> String {
    var sentence = option.documentation
    if !option.defaultText.isEmpty { sentence += " [\(option.defaultText)]" }
    return "  \(option.synopsis)\n" + paragraph(sentence, indent: 6)
  }

  /// The text in lines of at most `width` characters.
  static func paragraph(_ text: String, indent: Int = 0) -> String {
    let margin = String(repeating: " ", count: indent)
    var lines: [String] = []
    var line = margin
    for word in text.split(separator: " ") {
      if line.count > indent, line.count + 1 + word.count > width {
        lines.append(line)
        line = margin
      }
      line += (line.count > indent ? " " : "") + word
    }
    return (lines + [line]).joined(separator: "\n")
  }
}

extension String {
  fileprivate var trimmingLastLineEnd: String { hasSuffix("\n") ? String(dropLast()) : self }
}
