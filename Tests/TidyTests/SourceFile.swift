import Foundation

/// A text file of the project, by its path from the project's folder.
struct SourceFile: Sendable {
  let path: String
  let text: String
  /// The lines without their line ends; a line end at the very end begins no further line.
  let lines: [Substring]
  /// The text as code and comments; empty for what is neither Swift nor C.
  let view: CodeView

  init(_ path: String, _ text: String) {
    self.path = path
    self.text = text
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    if lines.last?.isEmpty == true { lines.removeLast() }
    self.lines = lines
    view = CodeView(text, language: SourceFile.language(of: path))
  }

  var isSwift: Bool { path.hasSuffix(".swift") }
  var isC: Bool { SourceFile.language(of: path) == .c }
  var isMarkdown: Bool { path.hasSuffix(".md") }

  /// True below `Sources/`: what is shipped.
  var isShipped: Bool { path.hasPrefix("Sources/") }
  /// True below `Tests/`.
  var isTest: Bool { path.hasPrefix("Tests/") }

  /// The target that a file below `Sources/` belongs to.
  var target: String? {
    let parts = path.split(separator: "/")
    return parts.count > 2 && parts[0] == "Sources" ? String(parts[1]) : nil
  }

  /// A finding at a line that counts from 1.
  func finding(_ line: Int, _ advice: String) -> Finding {
    Finding(path: path, line: line, advice: advice)
  }

  /// A finding for each line of code, comments and strings blanked, that `advice` objects to.
  func findings(inCode advice: (String) -> String?) -> [Finding] {
    view.codeLines.enumerated().compactMap { index, line in
      advice(line).map { finding(index + 1, $0) }
    }
  }

  private static func language(of path: String) -> CodeView.Language {
    switch path.split(separator: ".").last {
    case "swift": .swift
    case "c", "h", "cpp", "hpp": .c
    default: .other
    }
  }
}

/// Every text file of the project.
struct SourceTree: Sendable {
  let files: [SourceFile]

  /// The tree that this test was built from.
  static let project = SourceTree(
    folder: URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent())

  init(files: [SourceFile]) {
    self.files = files
  }

  init(folder: URL) {
    var files: [SourceFile] = []
    for path in SourceTree.paths(in: folder, below: "") {
      guard let data = try? Data(contentsOf: folder.appending(path: path)),
        !data.contains(0), let text = String(data: data, encoding: .utf8)
      else { continue }
      files.append(SourceFile(path, text))
    }
    self.files = files
  }

  /// Every file but those that builds make and the bytes that fuzzers are fed with.
  private static func paths(in folder: URL, below prefix: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    var paths: [String] = []
    for name in names.sorted() where !isMade(name) {
      let url = folder.appending(path: name)
      let isFolder = (try? url.resourceValues(forKeys: [.isDirectoryKey]))?.isDirectory == true
      if isFolder {
        paths += SourceTree.paths(in: url, below: prefix + name + "/")
      } else {
        paths.append(prefix + name)
      }
    }
    return paths
  }

  private static func isMade(_ name: String) -> Bool {
    name.hasPrefix(".build") || name.hasSuffix(".profraw") || name.hasSuffix(".o")
      || [".git", ".swiftpm", ".index-build", "dist", "Package.resolved"].contains(name)
      || name.lowercased() == "corpus"
  }
}
