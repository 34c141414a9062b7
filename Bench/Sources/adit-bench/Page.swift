import Foundation

/// The results as text: aligned for a terminal, or Markdown for the documentation.
struct Page {
  let results: Results
  let isMarkdown: Bool

  /// The whole text.
  var text: String {
    var parts = [introduction]
    for threads in threadCounts {
      parts.append(heading(threads == 1 ? "One thread" : "\(threads) threads", level: 3))
      for table in tables(results, threads: threads) {
        let rows = table.rows(results, threads: threads)
        guard rows.count > 1 else { continue }
        parts += [heading(table.title, level: 4), table.remark, render(rows)]
      }
    }
    if hasAdit { parts += [heading("Promises", level: 3), render(Target.rows(results))] }
    return parts.joined(separator: "\n\n") + "\n"
  }

  private var hasAdit: Bool { results.measurements.contains { $0.relay == "adit" } }

  private var threadCounts: [Int] { Set(results.measurements.map(\.threads)).sorted() }

  private var introduction: String {
    let versions = Relay.names.compactMap { name in
      results.versions[name].flatMap { $0.isEmpty ? nil : "\(name) \($0)" }
    }
    let skipped =
      results.skipped.isEmpty
      ? "" : " Not installed, so not measured: \(results.skipped.joined(separator: ", "))."
    let others = "Other programs kept \(decimal(results.others)) processors busy (median)."
    return "\(results.machine.cores) × \(results.machine.processor), "
      + "Linux \(results.machine.kernel), loopback; medians of \(results.rounds) interleaved "
      + "round(s) of \(decimal(results.seconds)) s. \(others) \(versions.joined(separator: ", "))."
      + skipped
  }

  private func heading(_ text: String, level: Int) -> String {
    isMarkdown ? String(repeating: "#", count: level) + " " + text : text
  }

  private func render(_ rows: [[String]]) -> String {
    isMarkdown ? markdown(rows) : aligned(rows)
  }

  private func markdown(_ rows: [[String]]) -> String {
    let lines = rows.map { "| " + $0.joined(separator: " | ") + " |" }
    let rule = "|---|" + String(repeating: "--:|", count: max(0, rows[0].count - 1))
    return ([lines[0], rule] + lines.dropFirst()).joined(separator: "\n")
  }

  private func aligned(_ rows: [[String]]) -> String {
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      row.indices.map { column in
        let space = String(repeating: " ", count: widths[column] - row[column].count)
        return column == 0 ? row[column] + space : space + row[column]
      }.joined(separator: "  ")
    }.joined(separator: "\n")
  }

  static let begin = "<!-- bench: begin (written by `make bench`) -->"
  static let end = "<!-- bench: end -->"

  /// Replaces what stands between the two markers in the file, or appends both.
  func replace(in path: String) throws {
    let old = (try? String(contentsOfFile: path, encoding: .utf8)) ?? "# Performance\n"
    let block = "\(Page.begin)\n\n\(text)\n\(Page.end)"
    guard let first = old.range(of: Page.begin), let last = old.range(of: Page.end),
      first.upperBound <= last.lowerBound
    else {
      try "\(old)\n\(block)\n".write(toFile: path, atomically: true, encoding: .utf8)
      return
    }
    let new = old[..<first.lowerBound] + block + old[last.upperBound...]
    try String(new).write(toFile: path, atomically: true, encoding: .utf8)
  }
}
