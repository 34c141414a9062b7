/// Words that promise work or hide what a thing is.
enum WordRules {
  /// In two halves, so that this file does not object to itself.
  private static let promises = ["TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"]
  private static let hollow = ["Manager", "Helper", "Helpers", "Util", "Utils", "Utilities"]
  private static let typeKeywords: Set<String> = [
    "struct", "class", "enum", "actor", "protocol", "typealias",
  ]

  static func promisedWork(_ file: SourceFile) -> [Finding] {
    file.lines.enumerated().compactMap { index, line in
      guard let word = promises.first(where: { String(line).hasWord($0) }) else { return nil }
      return file.finding(index + 1, "\(word): do it, or file it where work is listed")
    }
  }

  /// Apple's own names (`NETunnelProviderManager`) are Apple's.
  static func hollowNames(_ file: SourceFile) -> [Finding] {
    guard file.isSwift, file.target != "NetworkExtension" else { return [] }
    let tokens = file.view.tokens
    return zip(tokens, tokens.dropFirst()).compactMap { keyword, name in
      guard typeKeywords.contains(keyword.text), !keyword.isMember,
        let suffix = hollow.first(where: { name.text.hasSuffix($0) })
      else { return nil }
      return file.finding(name.line, "\(name.text): `…\(suffix)` does not say what it is")
    }
  }

  private static let privateFolders = [
    "/wo" + "rk/", "/ro" + "ot/", "/fa" + "rm/", "/opt/sw" + "ift",
  ]

  /// Paths of somebody's machine.
  static func machinePaths(_ file: SourceFile) -> [Finding] {
    file.lines.enumerated().compactMap { index, line in
      guard let folder = privateFolders.first(where: { stands($0, in: line) }) else { return nil }
      return file.finding(index + 1, "\(folder) exists on one machine; write what holds on all")
    }
  }

  /// True when a path begins with `folder`; one that has it further in is another thing.
  private static func stands(_ folder: String, in line: Substring) -> Bool {
    guard let range = line.firstRange(of: folder) else { return false }
    guard range.lowerBound > line.startIndex else { return true }
    let before = line[line.index(before: range.lowerBound)]
    return !before.isLetter && !before.isNumber && !"._-})*".contains(before)
  }
}
