import Foundation

/// A page has one title, its links lead somewhere, and somebody links to it.
enum MarkdownRules {
  static func title(_ file: SourceFile) -> [Finding] {
    guard file.isMarkdown else { return [] }
    let titles = file.prose.filter { $0.text.hasPrefix("# ") }
    if titles.isEmpty { return [file.finding(1, "a page begins with one `# ` title")] }
    return titles.dropFirst().map { file.finding($0.line, "a second `# ` title: use `## `") }
  }

  static func deadLinks(_ tree: SourceTree) -> [Finding] {
    let paths = tree.paths
    return tree.files.filter(\.isMarkdown).flatMap { file in
      file.links.filter { !paths.contains($0.path) }.map { link in
        file.finding(link.line, "the link leads to \(link.path), which does not exist")
      }
    }
  }

  /// Pages of `docs/` that no chain of links from the first pages reaches.
  static func unreachablePages(_ tree: SourceTree) -> [Finding] {
    let pages = tree.files.filter(\.isMarkdown)
    let byPath = Dictionary(pages.map { ($0.path, $0) }) { first, _ in first }
    var reached: Set<String> = []
    var open = ["README.md", "docs/README.md"]
    while let path = open.popLast() {
      guard let page = byPath[path], reached.insert(path).inserted else { continue }
      open += page.links.map(\.path)
    }
    return pages.filter { $0.path.hasPrefix("docs/") && !reached.contains($0.path) }.map { page in
      page.finding(1, "no page that README.md or docs/README.md leads to links here")
    }
  }
}

extension SourceTree {
  /// Every file and folder.
  var paths: Set<String> {
    var paths: Set<String> = [""]
    for file in files {
      var path = file.path[...]
      while !path.isEmpty {
        paths.insert(String(path))
        path = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
      }
    }
    return paths
  }
}

extension SourceFile {
  /// The lines outside fenced code, with code between backticks taken out.
  var prose: [(line: Int, text: String)] {
    var isFenced = false
    return lines.enumerated().compactMap { index, line in
      let isFence = line.drop { $0 == " " }.hasPrefix("```")
      if isFence { isFenced.toggle() }
      guard !isFence, !isFenced else { return nil }
      let parts = line.split(separator: "`", omittingEmptySubsequences: false)
      let outside = parts.enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element)
      return (index + 1, outside.joined())
    }
  }

  /// The files of the project that a page links to, by their path from the project's folder.
  var links: [(line: Int, path: String)] {
    prose.flatMap { line, text in
      text.components(separatedBy: "](").dropFirst().compactMap { rest in
        let target = rest.prefix { $0 != ")" }.prefix { $0 != "#" }
        guard !target.isEmpty, !target.contains("://"), !target.hasPrefix("mailto:") else {
          return nil
        }
        return (line, resolve(target))
      }
    }
  }

  private func resolve(_ target: Substring) -> String {
    var parts = path.split(separator: "/").dropLast().map { String($0) }
    for part in target.split(separator: "/") where part != "." {
      if part != ".." {
        parts.append(String(part))
      } else if parts.popLast() == nil {
        return String(target)
      }
    }
    return parts.joined(separator: "/")
  }
}
