import Testing

@Suite("Taking a text apart")
struct CodeViewTests {
  private func swift(_ text: String) -> CodeView { CodeView(text, language: .swift) }
  private func c(_ text: String) -> CodeView { CodeView(text, language: .c) }

  @Test("code and comments keep their places, blanks stand for the other")
  func codeAndCommentsKeepTheirPlaces() {
    let view = swift("let a = 1  // why\n/* b /* c */ d */ let e\n")
    #expect(view.code == "let a = 1        \n                  let e\n")
    #expect(view.comments == "           // why\n/* b /* c */ d */      \n")
  }

  @Test(
    "the inside of a string is no code",
    arguments: [
      (#"f("a { // b")"#, #"f("        ")"#),
      (#"f("\"{")"#, #"f("   ")"#),
      (##"f(#"a"{"#)"##, ##"f(#"   "#)"##),
      (##"f(#"\"#)}"##, ##"f(#" "#)}"##),
      ("f(\"\"\"\n  \"{\n  \"\"\")", "f(\"\"\"\n    \n  \"\"\")"),
      (#"f("a\\")}"#, #"f("   ")}"#),
    ])
  func insideOfStringIsNoCode(_ text: String, _ code: String) {
    #expect(swift(text).code == code)
  }

  @Test(
    "what a string interpolates is code",
    arguments: [
      (#"f("a\(g("}") + h!)b")"#, #"f("  (g(" ") + h!) ")"#),
      (##"f(#"\(x) \#(y)"#)"##, ##"f(#"       (y)"#)"##),
    ])
  func interpolationIsCode(_ text: String, _ code: String) {
    #expect(swift(text).code == code)
  }

  @Test(
    "the inside of a regex is no code, and a division is",
    arguments: [
      ("f(/\"{/)", "f(    )"), ("let r = #/\"/\\#/#", "let r =         "),
      ("a / b / c", "a / b / c"), ("(a)/b", "(a)/b"),
    ])
  func insideOfRegexIsNoCode(_ text: String, _ code: String) {
    #expect(swift(text).code == code)
  }

  @Test("C has character literals, directives and comments that do not nest")
  func readsTheLiteralsOfC() {
    #expect(c("f('\"'); g('\\'', \"}\")").code == "f(' '); g('  ', \" \")")
    #expect(c("#define A { \\\n  {\nint b;").code == "             \n   \nint b;")
    #expect(c("/* a /* b */ c").code == "             c")
  }

  @Test("tokens know their lines and whether a dot stands before them")
  func tokensKnowTheirLines() {
    let tokens = swift("a.init(b)\n`func` c").tokens
    #expect(tokens.map(\.text) == ["a", ".", "init", "(", "b", ")", "`func`", "c"])
    #expect(tokens.map(\.line) == [1, 1, 1, 1, 1, 1, 2, 2])
    #expect(tokens.filter(\.isMember).map(\.text) == ["init"])
  }

  @Test("a word is found whole or not at all")
  func wordIsFoundWhole() {
    #expect("an unsafe b".hasWord("unsafe"))
    #expect("(unsafe)".hasWord("unsafe"))
    #expect("unsafeBits unsafe".hasWord("unsafe"))
    #expect(!"unsafeBits not_unsafe".hasWord("unsafe"))
  }
}
