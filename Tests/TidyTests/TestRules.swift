/// A test's name is a sentence about behaviour; a test neither sleeps nor takes a fixed port.
enum TestRules {
  static let fewestWords = 3

  static func testNames(_ file: SourceFile) -> [Finding] {
    guard file.isSwift, file.isTest else { return [] }
    let tokens = file.view.tokens
    return tokens.indices.compactMap { index in
      guard tokens[index].text == "Test", index > 0, tokens[index - 1].text == "@",
        !hasDisplayName(index, tokens),
        let keyword = tokens[index...].firstIndex(where: { $0.text == "func" }),
        keyword + 1 < tokens.count
      else { return nil }
      let name = tokens[keyword + 1]
      guard words(in: name.text) < fewestWords else { return nil }
      return file.finding(
        name.line, "\(name.text) is no sentence: say in three words or more what should happen")
    }
  }

  /// `@Test("…")`: the name that is shown comes first in the parentheses.
  private static func hasDisplayName(_ index: Int, _ tokens: [Token]) -> Bool {
    index + 2 < tokens.count && tokens[index + 1].text == "(" && tokens[index + 2].text == "\""
  }

  private static func words(in name: String) -> Int {
    if name.hasPrefix("`") { return name.split(separator: " ").count }
    return 1 + name.dropFirst().count { $0.isUppercase }
  }

  static func sleeps(_ file: SourceFile) -> [Finding] {
    guard file.isTest, file.isSwift || file.isC else { return [] }
    return file.findings { line in
      ["sleep", "usleep", "nanosleep"].contains(where: line.hasWord)
        ? "a test that sleeps is slow or fails on a slow machine: wait for the event" : nil
    }
  }

  private static let openers = [
    "bind(", "listen(", "connect(", "serve(", "forward(", "start(", "run(", "launch(",
  ]
  private static let hosts = ["127.0.0.1:", "localhost:", "[::1]:", "any:", "0.0.0.0:", "[::]:"]

  /// A line that opens something at a port written as a number. Tables of addresses open nothing,
  /// and ports below 1024 are where tests find nobody.
  static func fixedPorts(_ file: SourceFile) -> [Finding] {
    guard file.isSwift, file.isTest else { return [] }
    let code = file.view.codeLines
    return file.lines.enumerated().compactMap { index, line in
      guard openers.contains(where: code[index].contains),
        (["port: "] + hosts).contains(where: { hasHighPort(line, behind: $0) })
      else { return nil }
      return file.finding(index + 1, "a fixed port may be taken: bind port 0 and ask for the port")
    }
  }

  private static func hasHighPort(_ line: Substring, behind mark: String) -> Bool {
    guard let range = line.firstRange(of: mark) else { return false }
    let digits = line[range.upperBound...].prefix { $0.isNumber || $0 == "_" }
    return (Int(digits.filter { $0 != "_" }) ?? 0) >= 1024
  }
}
