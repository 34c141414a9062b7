import Testing

@Suite("The import picture")
struct ImportPictureTests {
  private let picture = ImportPicture(
    rows: ["Ground": [], "Middle": ["Ground"], "Top": ["Middle"]], toolchain: ["Top": ["Glibc"]])

  private func lines(_ path: String, _ text: String) -> [Int] {
    picture.findings(in: SourceFile(path, text)).map(\.line)
  }

  @Test("a target may import its row and what those rows allow")
  func rowsAllowWhatTheirRowsAllow() {
    #expect(picture.allowed(for: "Top") == ["Middle", "Ground"])
    #expect(lines("Sources/Top/A.swift", "import Ground\npublic import Middle\n").isEmpty)
  }

  @Test("an import against the picture is found, with its line and what would be right")
  func importAgainstThePictureIsFound() {
    let file = SourceFile("Sources/Middle/A.swift", "// A\n@testable internal import Top\n")
    #expect(
      picture.findings(in: file).map(\.description) == [
        "Sources/Middle/A.swift:2: Middle may not import Top; it may import: Ground"
      ])
  }

  @Test("an import may name a kind and a member, and may stand in a comment without effect")
  func everyFormOfImportIsRead() {
    let text = """
      import struct Top.A
      private import func Top.f
      // import Top
      let a = "import Top"
      """
    #expect(lines("Sources/Ground/A.swift", text) == [1, 2])
  }

  @Test("a module of the toolchain needs a row of its own, but for the doors to C")
  func toolchainModulesNeedTheirRow() {
    #expect(lines("Sources/Top/A.swift", "import Glibc\n").isEmpty)
    #expect(lines("Sources/Middle/A.swift", "import Glibc\nimport Foundation\n") == [1, 2])
    #expect(lines("Sources/Middle/A+C.swift", "import Glibc\nimport Foundation\n") == [2])
  }

  @Test("a target without a row is found")
  func targetWithoutRowIsFound() {
    #expect(lines("Sources/Loft/A.swift", "") == [1])
    #expect(lines("Tests/Loft/A.swift", "import Top").isEmpty)
  }

  @Test("a circle is found in the table and in the files")
  func circleIsFound() {
    #expect(ImportPicture.circle(in: ["a": ["b"], "b": ["c"], "c": []]) == nil)
    #expect(ImportPicture.circle(in: ["a": ["b"], "b": ["c"], "c": ["b"]]) == ["b", "c", "b"])
    let file = SourceFile("Sources/Ground/A.swift", "import Top\n")
    let advice = "imports run in a circle: Ground -> Top -> Middle -> Ground"
    #expect(picture.findings(in: SourceTree(files: [file])).map(\.advice) == [advice])
    #expect(picture.findings(in: SourceTree(files: [])).isEmpty)
  }

  @Test("what the house's table allows, it also has a row for")
  func everyAllowedTargetHasRow() {
    let house = ImportPicture.house
    let named = house.rows.values.reduce(Set(house.toolchain.keys)) { $0.union($1) }
    #expect(named.subtracting(house.rows.keys).isEmpty)
  }
}
