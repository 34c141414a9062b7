import Testing

@Suite("The rules for pages")
struct MarkdownRuleTests {
  private func tree(_ pages: [String: String]) -> SourceTree {
    SourceTree(files: pages.sorted { $0.key < $1.key }.map { SourceFile($0.key, $0.value) })
  }

  private func titles(_ text: String) -> [Int] {
    MarkdownRules.title(SourceFile("docs/a.md", text)).map(\.line)
  }

  @Test("a page has one title; a comment in fenced code is none")
  func pageHasOneTitle() {
    #expect(titles("# A\n\n## B\n").isEmpty)
    #expect(titles("# A\n```sh\n# B\n```\n").isEmpty)
    #expect(titles("## A\n") == [1])
    #expect(titles("# A\n# B\n# C\n") == [2, 3])
  }

  @Test("a link is read as the path it leads to")
  func linksAreResolved() {
    let text = "[a](b.md#c) [d](../e/f.md)\n[g](#h) [i](https://j.k) `[l](m.md)`\n[n](./o/)\n"
    let links = SourceFile("docs/p.md", text).links
    #expect(links.map(\.path) == ["docs/b.md", "e/f.md", "docs/o"])
    #expect(links.map(\.line) == [1, 1, 3])
  }

  @Test("a link to nothing is found")
  func deadLinksAreFound() {
    let pages = [
      "README.md": "[a](docs/a.md) [b](docs)\n[c](docs/c.md) [d](../d.md)\n", "docs/a.md": "",
    ]
    let advice = MarkdownRules.deadLinks(tree(pages)).map(\.advice)
    #expect(advice.count == 2)
    #expect(advice.allSatisfy { $0.contains("docs/c.md") || $0.contains("../d.md") })
  }

  @Test("a page that nothing leads to is found")
  func unreachablePagesAreFound() {
    let pages = [
      "README.md": "[a](docs/a.md)\n", "docs/a.md": "[b](b/b.md)\n", "docs/b/b.md": "",
      "docs/README.md": "[c](c.md)\n", "docs/c.md": "", "docs/d.md": "[a](a.md)\n", "OTHER.md": "",
    ]
    #expect(MarkdownRules.unreachablePages(tree(pages)).map(\.path) == ["docs/d.md"])
  }
}
