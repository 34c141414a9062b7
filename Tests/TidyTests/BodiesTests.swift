import Testing

@Suite("Finding functions")
struct BodiesTests {
  private func swift(_ text: String) -> [String] {
    BodyScanner(CodeView(text, language: .swift)).swiftBodies().map(describe)
  }

  private func c(_ text: String) -> [String] {
    BodyScanner(CodeView(text, language: .c)).cBodies().map(describe)
  }

  private func describe(_ body: Body) -> String {
    "\(body.name) \(body.firstLine)-\(body.lastLine)"
  }

  @Test("a function reaches from its keyword to the brace that closes it")
  func functionReachesToItsClosingBrace() {
    #expect(swift("\nfunc a(\n  _ b: Int = { 1 }()\n) -> Int {\n  if b { c }\n}\n") == ["a 2-6"])
  }

  @Test("braces in strings and comments count for nothing")
  func bracesInStringsDoNotCount() {
    #expect(swift("func a() {\n  b(\"}\")  // }\n}\nfunc c() {}\n") == ["a 1-3", "c 4-4"])
  }

  @Test("initialisers, deinitialisers, subscripts and nested functions are found")
  func otherBodiesAreFound() {
    let text = """
      struct A {
        init() { self.init(b: 1) }
        deinit { A.init() }
        subscript(i: Int) -> Int { i }
        func a() {
          func b() {}
        }
      }
      """
    #expect(swift(text) == ["init 2-2", "deinit 3-3", "subscript 4-4", "a 5-7", "b 6-6"])
  }

  @Test("a computed or observed property has a body, a stored one has none")
  func computedPropertyHasBody() {
    let text = """
      var a: [Int: (Int) -> Int] {
        get { 1 }
      }
      var b = 1
      var c: Int
      let d = { 2 }
      if var e = f { g() }
      for var h in i { j() }
      var k: Int {
        didSet { }
      }
      """
    #expect(swift(text) == ["a 1-3", "k 9-11"])
  }

  @Test("a requirement of a protocol has no body of its own")
  func requirementHasNoBody() {
    let text = """
      protocol P {
        func a() throws(E)
        func b() -> @Sendable () -> Void
        init(c: Int)
        var d: Int { get }
      }
      struct S { let e = 1 }
      """
    #expect(swift(text) == ["d 5-5"])
  }

  @Test("functions of C are found, blocks within them and around them are not functions")
  func functionsOfCAreFound() {
    let text = """
      #include <a.h>
      extern "C" {
      struct s { int a; };
      static int b(int c,
                   int d) {
        if (c) { return d; }
        return 0;
      }
      int e(void) { return 1; }
      }
      """
    #expect(c(text) == ["b 4-8", "e 9-9"])
  }
}
