@testable import AditCommands

/// The completions of the shells, made from the tables that the program parses with.
enum CompletionFiles {
  /// Each file's name and text.
  static let all = [("adit.bash", bash), ("adit.zsh", zsh), ("adit.fish", fish)]

  private static let origin = "written by ManualTests from the option table"

  /// The beginning of an option's sentence, short enough for a list.
  private static func brief(_ option: OptionDescription) -> String {
    let clause = option.documentation.prefix { !":;,.(".contains($0) }
    var brief = ""
    for word in clause.split(separator: " ") {
      if brief.count + word.count > 40 { return brief + " ..." }
      brief += (brief.isEmpty ? "" : " ") + word
    }
    return brief
  }

  /// Words in lines of a file that keeps the rule for lines.
  private static func wrapped(_ words: [String]) -> String {
    Help.paragraph(words.joined(separator: " "), indent: 8).drop { $0 == " " }.description
  }

  private static func options(of verb: Verb) -> [OptionDescription] {
    switch verb {
    case .forward: ForwardOption.all
    case .check, .doctor: OptionDescription.common
    case .help: []
    }
  }

  /// `-h --help`.
  private static func names(_ option: OptionDescription) -> [String] {
    [option.short, option.name].compactMap { $0 }
  }

  private static func takesFile(_ option: OptionDescription) -> Bool {
    option.argument == .required("FILE")
  }

  private static let choices = ForwardOption.all.filter { !$0.choices.isEmpty }

  // MARK: bash

  private static var bash: String {
    let verbs = Verb.allCases.map(\.rawValue).joined(separator: " ")
    let lists = Verb.allCases.map { verb in
      let words = options(of: verb).flatMap { names($0) } + (verb == .help ? [verbs] : [])
      return "    \(verb.rawValue))\n      words=\"\(wrapped(words))\"\n      ;;"
    }
    let values = choices.map { option in
      "    \(option.name)) words=\"\(option.choices.joined(separator: " "))\" ;;"
    }
    return """
      # Completion of adit for bash, \(origin).
      _adit() {
        local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words=
        COMPREPLY=()
        if ((COMP_CWORD == 1)); then
          mapfile -t COMPREPLY < <(compgen -W "\(verbs) --help --version" -- "$word")
          return
        fi
        case ${COMP_WORDS[1]} in
      \(lists.joined(separator: "\n"))
        esac
        case $before in
      \(values.joined(separator: "\n"))
        esac
        if [[ $before == --config || (${COMP_WORDS[1]} == check && $word != -*) ]]; then
          mapfile -t COMPREPLY < <(compgen -f -- "$word")
        else
          mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
        fi
      }
      complete -o filenames -F _adit adit

      """
  }

  // MARK: zsh

  private static var zsh: String {
    let verbs = Verb.allCases.map { "    '\($0.rawValue):\($0.summary)'" }
    let cases = Verb.allCases.map { verb in
      var words = options(of: verb).flatMap { zshSpecifications($0) }
      if verb == .check { words.append("'1:file:_files'") }
      if verb == .help { words.append("'1:verb:(\(Verb.words.filter { $0 != "," }))'") }
      if words.isEmpty { words.append("'*:'") }
      return "    \(verb.rawValue))\n      _arguments -S \\\n        "
        + words.joined(separator: " \\\n        ") + "\n      ;;"
    }
    return """
      #compdef adit
      # Completion of adit for zsh, \(origin).
      _adit() {
        local -a verbs
        verbs=(
      \(verbs.joined(separator: "\n"))
        )
        if ((CURRENT == 2)); then
          _describe verb verbs
          return
        fi
        local verb=$words[2]
        shift words
        ((CURRENT--))
        case $verb in
      \(cases.joined(separator: "\n"))
        esac
      }
      _adit "$@"

      """
  }

  private static func zshSpecifications(_ option: OptionDescription) -> [String] {
    let sentence = brief(option).map { character in
      switch character {
      case "'": "'\\''"
      case "[", "]", ":": "\\\(character)"
      case _: String(character)
      }
    }.joined()
    return names(option).map { name in
      let repeats = name == "-L" ? "*" : ""
      switch option.argument {
      case .none, .negation, .boolean: return "'\(repeats)\(name)[\(sentence)]'"
      case .required(let placeholder):
        let equals = name.hasPrefix("--") ? "=" : "+"
        let action =
          takesFile(option)
          ? "_files" : option.choices.isEmpty ? "" : "(\(option.choices.joined(separator: " ")))"
        let label = option.choices.isEmpty ? placeholder.lowercased() : "value"
        return "'\(repeats)\(name)\(equals)[\(sentence)]:\(label):\(action)'"
      }
    }
  }

  // MARK: fish

  private static var fish: String {
    var lines = [
      "# Completion of adit for fish, \(origin).", "complete -c adit -f",
      "set -l first __fish_use_subcommand",
    ]
    for verb in Verb.allCases {
      lines.append(
        "complete -c adit -n $first -a \(verb.rawValue) -d '\(verb.summary)'")
    }
    for verb in Verb.allCases {
      lines.append("set -l behind '__fish_seen_subcommand_from \(verb.rawValue)'")
      let condition = "complete -c adit -n $behind"
      if verb == .check { lines.append(condition + " -F") }
      if verb == .help {
        lines.append(condition + " -a '\(Verb.allCases.map(\.rawValue).joined(separator: " "))'")
      }
      for option in options(of: verb) { lines.append(condition + fishArguments(option)) }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func fishArguments(_ option: OptionDescription) -> String {
    var text = names(option).map { name in
      name.hasPrefix("--") ? " -l \(name.dropFirst(2))" : " -s \(name.dropFirst())"
    }.joined()
    if case .required = option.argument { text += takesFile(option) ? " -r -F" : " -x" }
    if !option.choices.isEmpty { text += " \\\n  -a '\(option.choices.joined(separator: " "))'" }
    return text + " -d '\(brief(option).split(separator: "'").joined(separator: "\\'"))'"
  }
}
